// Where pictures over time begin and end: the same in all of them, so that a moment stands at one place in each.

export const LEFT = 72
export const RIGHT = 12

// Foci are taken apart and put together as whyperf writes them.

import { expect, test } from 'vitest'
import { WHOLE, members, names, parts, processOf, processesOf, ranges, shown, slots, withPart, withoutProcess } from './focus'

const SET = '</Code/oned.c/exchng1,/Machine,(/Process/2,/Process/3),/SyncObject/Message>'

test('a focus is taken apart, with its sets', () => {
  expect(slots(SET)).toEqual(['/Code/oned.c/exchng1', '/Machine', '(/Process/2,/Process/3)', '/SyncObject/Message'])
  expect(members('(/Process/2,/Process/3)')).toEqual(['/Process/2', '/Process/3'])
  expect(parts(SET)).toEqual(['/Code/oned.c/exchng1', '/Process/2', '/Process/3', '/SyncObject/Message'])
  expect(parts(WHOLE)).toEqual([])
})

test('a part takes the place of the one of its hierarchy', () => {
  expect(withPart(WHOLE, '/Process/1')).toBe('</Code,/Machine,/Process/1,/SyncObject>')
  expect(withPart(SET, '/Process/1')).toBe('</Code/oned.c/exchng1,/Machine,/Process/1,/SyncObject/Message>')
  expect(withPart(WHOLE, '/File/tmp')).toBe('</Code,/Machine,/Process,/SyncObject,/File/tmp>')
  expect(withPart('</Code,/Machine,/Process,/SyncObject,/File/tmp>', '/File')).toBe(WHOLE)
  expect(withPart(WHOLE, '/UserEvent/cells')).toBe('</Code,/Machine,/Process,/SyncObject,/UserEvent/cells>')
  expect(processesOf(SET)).toBe('</Code,/Machine,(/Process/2,/Process/3),/SyncObject>')
})

test('only one process is a process', () => {
  expect(processOf(SET)).toBe(null)
  expect(processOf(withPart(WHOLE, '/Process/7'))).toBe('7')
  expect(withoutProcess(withPart(WHOLE, '/Process/7'))).toBe('</Code,/Machine,/Process/*,/SyncObject>')
})

test('what a focus names is what is read of it', () => {
  expect(shown(WHOLE)).toBe('the whole program')
  expect(shown(SET)).toBe('/Code/oned.c/exchng1  (/Process/2,/Process/3)  /SyncObject/Message')
  expect(names(SET, '/Code/oned.c')).toBe(true)
  expect(names(SET, '/Code/one')).toBe(false)
})

test('ranks that follow each other are a range', () => {
  expect(ranges(['3', '1', '0', '2', '7', '9', '10'])).toBe('0–3, 7, 9, 10')
  expect(ranges(['a', 'b'])).toBe('a, b')
})

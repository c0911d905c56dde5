// What is known of the whole run alone says so where a part of it is shown.

import { linked, useShared } from './linked'

/** Words behind a note: none while all of the run is shown. */
export const useWhole = () => (useShared(linked).range ? ', of the whole run and not of the part that is shown' : '')

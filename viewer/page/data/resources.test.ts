// The tree has all that a run knows by name, and counts no less of a function than the table of regions.

import { expect, test } from 'vitest'
import { regions } from './callpaths'
import type { Callpath, Profile, Resource } from './documents'
import { escaped, spelled } from './focus'
import { type Part, counted, tree } from './resources'

const resource = (name: string): Resource => ({ name, appeared_s: 0, retired_s: null })
const row = (path: number[], exclusive_s: number): Callpath => ({ process: 0, thread: 0, path, exclusive_s, inclusive_s: exclusive_s, calls: 1, sent: 0, received: 0, source: null, coverage: null })
const profile = (names: string[], rows: Callpath[]): Profile => ({ version: 0, names, rows, is_summed: false, messages: null })
const allOf = (parts: Part[]): string[] => parts.flatMap((part) => [part.name, ...allOf(part.parts)])

test('what only the search or the profile names can be chosen', () => {
  const known = [resource('/Code/a.c/main'), resource('/Process/0')]
  const roots = tree(known, ['</Code/b.c/hot,/Machine,(/Process/1,/Process/2),/SyncObject>'], profile(['main', 'hot', 'f(int, int)', 'a.c:3'], [row([0, 1, 2], 1)]))
  expect(allOf(roots)).toEqual(['/Code', '/Code/a.c', '/Code/a.c/main', '/Code/b.c', '/Code/b.c/hot', '/Code/f%28int%2C%20int%29', '/Machine', '/Process', '/Process/0', '/Process/1', '/Process/2', '/SyncObject'])
})

test('of a function as much is counted as the table of regions says, whether its file is known or not', () => {
  const paths = profile(['main', 'a/b (%)', 'MPI_Recv'], [row([0], 1), row([0, 1], 2), row([0, 1, 2], 4)])
  const spent = counted(paths, tree([resource('/Code/main'), resource('/Code/a.c/a%2Fb%20%28%25%29')], [], paths))
  const inclusive = Object.fromEntries(regions(paths, null).map(({ name, inclusive }) => [name, inclusive]))
  expect(inclusive).toEqual({ main: 7, 'a/b (%)': 6, MPI_Recv: 4 })
  expect(Object.fromEntries(spent)).toEqual({ '/Code': 7, '/Code/main': 7, '/Code/a.c': 6, '/Code/a.c/a%2Fb%20%28%25%29': 6, '/Code/MPI_Recv': 4, '/Process/0': 7, '/Process/0/0': 7 })
})

test('a name is escaped and spelled as whyperf does it', () => {
  const names = ['f(int, char<7>)', '100%', '', 'größe\n']
  expect(names.map(escaped)).toEqual(['f%28int%2C%20char%3C7%3E%29', '100%25', '%00', 'größe%0A'])
  expect(names.map(escaped).map(spelled)).toEqual(names)
})

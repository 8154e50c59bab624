import { describe, expect, it } from 'vitest'
import { useFolds } from '../../../../webapp/pages/transcript/use-folds.ts'
import type { EventsView, OutlineItem } from '../../../../webapp/pages/transcript/use-transcript.ts'

const LETTERS: Readonly<Record<string, Partial<OutlineItem>>> = {
  t: { type: 'tool', name: 'read_file' },
  b: { type: 'tool', name: 'bash' },
  x: { type: 'tool', name: 'bash', error: true },
  s: { type: 'state' },
  m: { type: 'message' },
}
/** A list with an event for each letter; a dot is one whose line is not loaded. */
const listOf = (letters: string): EventsView => {
  const lines = new Map(
    [...letters].flatMap((letter, i) =>
      letter === '.' ? [] : [[i + 1, { n: i + 1, name: null, span: 0, error: false, ...LETTERS[letter] }] as const],
    ),
  )
  return {
    lines,
    numberAt: (row: number) => row + 1,
    count: { value: letters.length },
  } as unknown as EventsView
}
const shownOf = (letters: string, isShown: (n: number) => boolean = () => false, chosen = 0) => {
  const folds = useFolds(listOf(letters), isShown, () => chosen)
  const shown = (): string => [...letters].filter((_, row) => !folds.isHidden(row)).join('')
  return { folds, shown }
}

describe('equal neighbours', () => {
  it.each([
    ['mtttttm', 'mtm'],
    ['mttttm', 'mttttm'],
    ['sss', 's'],
    ['tttttbbbbb', 'tb'],
    ['bbbbbxbbbbb', 'bxb'],
    ['mmmmmm', 'mmmmmm'],
    ['bb.bb', 'bb.bb'],
  ])('of %s are shown as %s', (letters, wanted) => {
    const { folds, shown } = shownOf(letters)
    folds.look(0, letters.length - 1)
    expect(shown()).toBe(wanted)
  })

  it('fold to both sides of what is in view', () => {
    const { folds, shown } = shownOf('mtttttttm')
    expect(folds.look(4, 4)).toEqual([2, 3, 4, 5, 6, 7])
    expect(shown()).toBe('mtm')
  })

  it('with an event that was found or unfolded stay, and fold again', () => {
    expect(shownOf('tttttt', (n) => n === 3).folds.look(0, 5)).toEqual([])
    const { folds, shown } = shownOf('mttttttm')
    folds.look(0, 7)
    folds.open(5)
    folds.look(0, 7)
    expect(shown()).toBe('mttttttm')
    const run = folds.runAt(5)
    if (run) folds.fold(run)
    folds.look(0, 7)
    expect(shown()).toBe('mtm')
  })

  it('with the chosen event unfold, unless it is the first', () => {
    const [within, first] = [shownOf('mttttttm', undefined, 5), shownOf('mttttttm', undefined, 2)]
    within.folds.look(0, 7)
    first.folds.look(0, 7)
    expect([within.shown(), first.shown()]).toEqual(['mttttttm', 'mtm'])
    const run = within.folds.runAt(4)
    if (run) within.folds.fold(run)
    within.folds.look(0, 7)
    expect(within.shown()).toBe('mtm')
  })

  it('are one step for the keys', () => {
    const { folds } = shownOf('mttttttm')
    folds.look(0, 7)
    expect([folds.next(0, 1), folds.next(1, 1), folds.next(7, -1), folds.next(1, -1), folds.next(7, 1)]).toEqual([
      1, 7, 1, 0, 7,
    ])
  })
})

import type { CaseStatus } from '../../../domain/run/document.ts'
import { aCase, type ACase } from './documents.ts'

/** The status that a letter stands for; none for a dot. */
export const STATUS: Readonly<Record<string, CaseStatus>> = {
  p: 'pass',
  f: 'fail',
  e: 'error',
  s: 'skip',
  x: 'xfail',
  X: 'xpass',
}

/** A case for each letter, of the tests `test-0`, `test-1`, …; a dot leaves the case out. */
export const casesOfLetters = (letters: string, cell: Partial<ACase['cell']> = {}): ACase[] =>
  [...letters].flatMap((letter, n) => {
    const status = STATUS[letter]
    return status ? [aCase({ cell: { test_id: `test-${n}`, ...cell }, status })] : []
  })

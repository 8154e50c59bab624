import type { RunAdded } from '../../queries/runs/annotations.ts'
import { visibleLine } from '../text/visible-text.ts'
import { MINUTE, untilOf } from './run-name.ts'

/** Who added something to a run, and when: `Added by anna on 2026-05-04 08:00 UTC`. */
export const addedWords = ({ by, at }: Pick<RunAdded, 'by' | 'at'>): string =>
  `Added${by === null ? '' : ` by ${visibleLine(by)}`} on ${untilOf(at, MINUTE)}`

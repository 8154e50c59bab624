import { exporterOf } from '../../domain/report/exporter.ts'
import { caseOf, SMALL_BATCH } from './case-batch.ts'

/** JSON Lines: `{"run": …}` without its cases, then each case in its normal form. Numbers keep all their digits. */
export const jsonl = exporterOf<null>({
  order: 'document',
  batch: SMALL_BATCH,
  begin: ({ run }) => ({ output: [`{"run":${JSON.stringify(run)}}\n`], state: null }),
  add: (state, cases) => ({ output: cases.map((item) => `${JSON.stringify(caseOf(item))}\n`), state }),
  end: (state) => ({ output: [], state, again: false }),
})

import { outputText } from '../../domain/run/document.ts'
import { exporterOf } from '../../domain/report/exporter.ts'
import { JUNIT_END, junitCase, junitStart } from '../../domain/report/junit.ts'
import { hiddenNote } from '../../domain/lists/hidden-cases.ts'
import { reasonsOf } from '../../domain/report/failure-reasons.ts'
import { caseTextsOf, SMALL_BATCH, trialName } from './case-batch.ts'
import { hiddenBy } from './columns.ts'

/**
 * JUnit XML, as CI systems read it. Properties have what the format has no place for, so that an import finds the same
 * providers, statuses and scores again.
 */
export const junit = exporterOf<null>({
  order: 'document',
  batch: SMALL_BATCH,
  begin: ({ run, hidden_cases }) => ({
    output: [
      junitStart(run, {
        timestamp: run.started_at,
        properties: [
          ['run_id', run.run_id],
          ['project', run.project],
          ['branch', run.git?.branch],
          ['commit', run.git?.commit],
          ['finished_at', run.finished_at],
          ...(hidden_cases > 0 ? [['note', hiddenNote(hidden_cases)] as const] : []),
        ],
      }),
    ],
    state: null,
  }),
  add: (state, cases) => ({
    output: cases.map((text) => {
      const item = caseTextsOf(text)
      return junitCase(
        { ...item, name: trialName(item) },
        {
          properties: [
            ['provider_id', item.cell.provider_id],
            ['prompt_id', item.cell.prompt_id],
            ['test_id', item.cell.test_id],
            ['repeat', item.cell.repeat],
            ['case_key', item.case_key],
            ['status', item.status],
            ['score', item.score],
            ['hidden_by', hiddenBy(text) ?? undefined],
          ],
          reasons: reasonsOf(item),
          output: outputText(item.output),
        },
      )
    }),
    state,
  }),
  end: (state) => ({ output: [JUNIT_END], state, again: false }),
})

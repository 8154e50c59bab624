import { z } from 'zod'
import { TARGETS } from '../reviews/calibrated-run.ts'
import { findCalibration, RunCalibration } from '../reviews/calibration.ts'
import { ComparedCalibration, findComparedCalibration } from '../reviews/compared-calibration.ts'
import { run_id, text } from './arguments.ts'
import { checkComparable } from './comparable.ts'
import { noRun } from './refusals.ts'
import { pagePath, tool } from './tool.ts'

export const judgeCalibration = tool({
  name: 'judge_calibration',
  title: 'Calibration of a judge',
  description:
    'Returns what labels of people say about the judge of a run: a sentence and a state (good, stale, weak, none; with all reasons), the pass rate that people would give the run with its interval, sensitivity, specificity, kappa and AC1 of the judge, agreement of the people, and how many labels come next. With base_run_id it also corrects the difference of the two runs for the errors of the judge. Rely on the numbers only if the state is good.',
  arguments: z.strictObject({
    run_id,
    metric: text('The metric whose judge is meant; without it the one that people labelled.').optional(),
    target: z
      .enum(TARGETS, 'must be `case` or `metric`')
      .optional()
      .describe('What people judge: the whole case, or one metric of it.'),
    base_run_id: text('A run of the suite to compare with.').optional(),
  }),
  narrowing: ['metric'],
  result: z.object({ calibration: RunCalibration, compared: ComparedCalibration.optional() }),
  run: async ({ reader, documents, viewer, now }, { run_id: id, base_run_id: base, metric, target }) => {
    const context = { reader, documents, viewer }
    const asked = { metric, target, cluster_by: { by: 'test' as const }, now }
    await checkComparable(reader, viewer, base === undefined ? [id] : [base, id])
    const calibration = await findCalibration(context, { run_id: id, ...asked })
    if (!calibration) throw noRun(id)
    const compared =
      base === undefined ? undefined : await findComparedCalibration(context, { base, head: id, ...asked })
    if (compared === null) throw noRun(base ?? '')
    const lines = [calibration.sentence, ...calibration.reasons.slice(1).map((reason) => `also: ${reason.text}`)]
    return {
      data: { calibration, ...(compared && { compared }) },
      text: () => [...lines, ...(compared ? [compared.sentence] : [])].join('\n'),
      subject: id,
      page: { path: pagePath('runs', id), name: 'The run' },
    }
  },
})

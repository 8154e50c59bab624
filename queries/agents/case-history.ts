import { z } from 'zod'
import { CaseHistory, findHistory } from '../cases/history.ts'
import { case_key, limit, text } from './arguments.ts'
import { noCaseInSuite } from './refusals.ts'
import { columns, tableRows, table } from './table.ts'
import { pagePath, tool } from './tool.ts'

export const caseHistory = tool({
  name: 'case_history',
  title: 'History of a case',
  description:
    'Returns the results of one case in the newest runs of its suite, newest first: status, score, whether the output changed, git commit. Use it to find out since when a case fails, or whether it is flaky. Also names the baseline run of the suite.',
  arguments: z.strictObject({
    project: text('The project of the suite.'),
    suite: text('The suite.'),
    case_key,
    limit: limit(20, 50),
  }),
  narrowing: ['limit'],
  result: CaseHistory,
  run: async ({ reader, viewer }, { project, suite, case_key: key, limit: points }) => {
    const history = await findHistory(reader, viewer, { project, suite, case_key: key }, points)
    if (!history) throw noCaseInSuite(key, project, suite)
    return {
      data: history,
      text: (data) => table(tableRows(data, 'points'), columns('run_id', 'status', 'score', 'created_at')),
      subject: key,
      page: { path: pagePath('projects', project, 'suites', suite, 'cases', key), name: 'The history of the case' },
    }
  },
})

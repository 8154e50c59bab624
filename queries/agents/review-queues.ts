import { z } from 'zod'
import { readAgreement, ReviewAgreement } from '../reviews/agreement.ts'
import { findReviewQueue, listReviewQueues, QUEUE_STATES, ReviewQueueList } from '../reviews/queues.ts'
import { choice, limit, text } from './arguments.ts'
import { columns, nextLine, tableRows, table } from './table.ts'
import { tool, ToolError } from './tool.ts'

export const reviewQueues = tool({
  name: 'review_queues',
  title: 'Review queues',
  description:
    'Lists the review queues of suites, newest first: samples of cases that people label to check a judge. With queue_id it returns one queue, and how far its people agree once it is closed. It never shows a label.',
  arguments: z.strictObject({
    project: text('Only queues of this project.').optional(),
    suite: text('Only queues of this suite.').optional(),
    state: choice(QUEUE_STATES, 'Only open queues, or only closed ones.').optional(),
    queue_id: text('One queue. Ignores the other filters.').optional(),
    limit: limit(10, 50),
    cursor: text('The next_cursor of the page before.').optional(),
  }),
  narrowing: ['limit', 'queue_id'],
  result: z.object({ ...ReviewQueueList.partial().shape, agreement: ReviewAgreement.nullable().optional() }),
  run: async ({ reader, viewer }, { queue_id, limit: rows, cursor, ...filters }) => {
    if (queue_id === undefined) {
      const data = await listReviewQueues(reader, viewer, filters, { limit: rows, cursor })
      return {
        data,
        text: (shown) =>
          table(
            tableRows(shown, 'queues'),
            columns('id', 'project', 'suite', 'name', 'items', 'opened_at', 'closed_at'),
          ) + nextLine(shown, 'cursor'),
        subject: 'review queues',
      }
    }
    const queue = await findReviewQueue(reader, viewer, queue_id)
    if (!queue) throw new ToolError('review queue not found')
    const agreement = queue.closed_at === null ? null : await readAgreement(reader, queue_id)
    return { data: { queues: [queue], agreement }, subject: queue_id }
  },
})

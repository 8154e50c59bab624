import { z } from 'zod'
import { searchAll, SearchHits } from '../search/search.ts'
import { choice, freeText, limit } from './arguments.ts'
import { tool, ToolError } from './tool.ts'

export const searchTool = tool({
  name: 'search',
  title: 'Search',
  description:
    'Full-text search over runs (note, tags, branch) and cases (name, output, prompt, assertion reasons, errors). Every word must occur. The id of a run, a case or a test finds it. Matched words are between ** in the snippets. Continue with get_run or get_case.',
  arguments: z.strictObject({
    q: freeText('The words to find.'),
    limit: limit(10, 25, 'Maximum number of runs, and of cases.'),
    cached: choice(
      ['exclude', 'only', 'all'],
      'Hits whose responses all came from the cache: exclude hides them, only shows nothing else.',
    ).optional(),
  }),
  narrowing: ['limit'],
  result: SearchHits,
  run: async ({ reader, documents, viewer }, asked) => {
    if (asked.q.trim() === '') throw new ToolError('q: must contain a word')
    return {
      data: await searchAll(reader, documents, viewer, asked),
      subject: asked.q,
      page: { path: `/search?${new URLSearchParams({ q: asked.q }).toString()}`, name: 'The search' },
    }
  },
})

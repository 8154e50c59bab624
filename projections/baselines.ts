import { statement } from '../storage/sql.ts'
import { projection } from './projection.ts'

/** The pinned run of each suite. */
export const baselines = projection(
  { name: 'baselines', version: 1, tables: ['baselines'] },
  {
    BaselinePinned: ({ data, recorded_at }) => [
      statement`
        INSERT INTO baselines (project, suite, run_id, pinned_at)
        VALUES (${data.project}, ${data.suite}, ${data.run_id}, ${recorded_at})
        ON CONFLICT (project, suite) DO UPDATE SET run_id = excluded.run_id, pinned_at = excluded.pinned_at`,
    ],
    BaselineUnpinned: ({ data }) => [
      statement`DELETE FROM baselines WHERE project = ${data.project} AND suite = ${data.suite}`,
    ],
  },
)

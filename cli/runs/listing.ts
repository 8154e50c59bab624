import * as z from 'zod'
import { HarnessError } from '../../engine/json.ts'
import type { RunSummary } from '../../engine/runner/run-document.ts'
import type { RunStore } from '../../engine/store/run-store.ts'
import { readJson } from '../client/baseline-server.ts'
import type { EngineServer } from '../client/engine-server.ts'
import { listPages, queryText } from '../client/pages.ts'

/** A listed run. Unknown values are null. */
export type RunRow = {
  readonly run_id: string
  readonly project: string | null
  readonly suite: string | null
  readonly started_at: string
  readonly finished_at: string
  readonly summary: RunSummary | RemoteSummary
  readonly git: { readonly branch?: string; readonly commit?: string; readonly dirty: boolean } | null
  readonly path: string | null
  /** Whether the run is the one that `latest` names. */
  readonly latest: boolean
  /** Only where the run was interrupted: some of its cells are missing. */
  readonly interrupted?: true
}

type RemoteSummary = Pick<RunSummary, 'total' | 'passed' | 'failed' | 'errored' | 'xfailed' | 'xpassed' | 'cost_usd'>

/** The newest stored runs, at most `limit`. */
export const localRows = async (store: RunStore, suite: string | undefined, limit: number): Promise<RunRow[]> => {
  const rows: RunRow[] = []
  const latest = await store.latestId()
  for await (const { id, path, run, isPartial } of store.list()) {
    if (suite !== undefined && run.suite !== suite) continue
    const { run_id, started_at, finished_at, summary, git = null } = run
    rows.push({
      run_id,
      project: run.project ?? null,
      suite: run.suite ?? null,
      started_at,
      finished_at,
      summary,
      git,
      path,
      latest: id === latest,
      ...(isPartial && { interrupted: true as const }),
    })
    if (rows.length === limit) break
  }
  return rows
}

const Page = z.object({
  runs: z.array(
    z.object({
      id: z.string(),
      project: z.string().nullable(),
      suite: z.string().nullable(),
      created_at: z.string(),
      duration_ms: z.number(),
      git_branch: z.string().nullable(),
      git_commit: z.string().nullable(),
      git_dirty: z.boolean().nullable(),
      case_count: z.number(),
      pass_count: z.number(),
      fail_count: z.number(),
      error_count: z.number(),
      xfail_count: z.number(),
      xpass_count: z.number(),
      cost_usd: z.number().nullable(),
    }),
  ),
  next_cursor: z.string().nullable(),
})
type RemoteRun = z.infer<typeof Page>['runs'][number]

const MAX_PAGE = 200

/** The newest runs of a service, at most `limit`. Throws `HarnessError`. */
export const remoteRows = async (server: EngineServer, suite: string | undefined, limit: number): Promise<RunRow[]> => {
  const rows: RunRow[] = []
  const pages = listPages(async (cursor) => {
    const query = queryText({ limit: Math.min(MAX_PAGE, limit - rows.length), suite, cursor })
    const page = await readJson(server, Page, `/runs?${query}`)
    if (page === null) throw new HarnessError(`${server.client.url} serves no runs`)
    return page
  })
  for await (const { runs } of pages) {
    for (const run of runs) rows.push(remoteRow(run, rows.length === 0))
    if (rows.length >= limit) break
  }
  return rows
}

const remoteRow = (run: RemoteRun, isNewest: boolean): RunRow => ({
  run_id: run.id,
  project: run.project,
  suite: run.suite,
  started_at: new Date(Date.parse(run.created_at) - run.duration_ms).toISOString(),
  finished_at: new Date(run.created_at).toISOString(),
  summary: {
    total: run.case_count,
    passed: run.pass_count,
    failed: run.fail_count,
    errored: run.error_count,
    xfailed: run.xfail_count,
    xpassed: run.xpass_count,
    ...(run.cost_usd === null ? {} : { cost_usd: run.cost_usd }),
  },
  git:
    run.git_dirty === null
      ? null
      : {
          ...(run.git_branch === null ? {} : { branch: run.git_branch }),
          ...(run.git_commit === null ? {} : { commit: run.git_commit }),
          dirty: run.git_dirty,
        },
  path: null,
  latest: isNewest,
})

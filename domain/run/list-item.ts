import { rate, rfc3339, usd } from '../wire.ts'
import type { RunFacts } from './facts.ts'

/**
 * A run as the run list contains it, as JSON text, without the label of its uploader: that may change, everything else
 * cannot. A projection stores the text, so that a list costs no more than reading it.
 */
export const runListItem = (run: RunFacts): string =>
  JSON.stringify({
    id: run.id,
    project: run.project,
    suite: run.suite,
    created_at: rfc3339(run.created_at),
    git_branch: run.git_branch,
    git_commit: run.git_commit,
    git_dirty: run.git_dirty,
    case_count: run.case_count,
    pass_count: run.pass_count,
    fail_count: run.fail_count,
    error_count: run.error_count,
    xfail_count: run.xfail_count,
    xpass_count: run.xpass_count,
    pass_rate: rate(run.pass_count, run.case_count),
    prompt_tokens: run.prompt_tokens,
    completion_tokens: run.completion_tokens,
    cost_usd: usd(run.cost_micro),
    duration_ms: run.duration_ms,
    cache_hits: run.cache_hits,
    cache_misses: run.cache_misses,
    ...(run.empty_count > 0 ? { empty_count: run.empty_count } : {}),
    actor: run.actor,
    host: run.host,
    ci_provider: run.ci_provider,
    ci_run_url: run.ci_run_url,
    note: run.note,
    service_version: run.service_version,
    tags: run.tags,
  })

// What the API's document says about tags, parameters and statuses that a route does not describe itself.

export const TAGS: Readonly<Record<string, string>> = {
  system: 'Health, limits and the documents that describe the API.',
  runs: 'Runs: upload, list, read, compare and delete.',
  cases: 'The cases of runs, and how they changed from run to run.',
  evidence: 'Whole evidence of runs: transcripts, pictures and files, as parts with a manifest.',
  statistics: 'Intervals, tests and trends over runs, suites and pairs of runs.',
  search: 'Full-text search over runs and cases.',
  projects: 'Names of projects and suites.',
  sets: 'Projects and suites with their newest results.',
  plans: 'Evaluations that were announced before they ran.',
  reviews: 'Cases that people label, and the rubrics that they decide by.',
  baselines: 'The run with which a suite is compared.',
  access: 'Restrictions and grants of projects and suites.',
  audit: 'The audit trail, legal holds and erasures.',
  log: 'Checkpoints, tiles and proofs of the log.',
  cache: 'The shared cache of provider responses.',
  auth: 'Signing in, sessions and your account.',
  views: 'Saved views of your account.',
  apikeys: 'The API keys of your account.',
  webhooks: 'Webhooks of your account: signed messages about what happens.',
  users: 'Accounts; for admins.',
  events: 'Changes as they happen.',
  mcp: 'Tools for agents (Model Context Protocol).',
}

const MEANINGS: Readonly<Record<string, string>> = {
  200: 'The request succeeded',
  201: 'Created',
  202: 'Accepted',
  204: 'Done; the response has no body',
  303: 'The browser is sent on',
  304: 'Not modified: the response that the client has is still valid',
  400: 'The path, a parameter or the syntax of the body is invalid; `error` names it',
  401: 'A valid credential is required',
  403: 'The credential does not have the scope or the level that this needs',
  404: 'It does not exist, or the caller may not see it',
  409: 'It conflicts with what is stored',
  413: 'The body is too large',
  415: 'The type or the encoding of the body is not supported',
  422: 'The body is valid JSON, but not what this accepts; `error` names the field',
  429: 'Too many requests; try again after the seconds in `Retry-After`',
  503: 'The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After`',
  default: 'Any other error',
}

/** What a status means where the route says nothing of its own. */
export const meaningOf = (status: string): string => MEANINGS[status] ?? `Status ${status}`

/** Path parameters named `id`, by the part of the path before them. */
const IDS: Readonly<Record<string, string>> = {
  runs: 'Id of the run.',
  plans: 'Id of the plan.',
  rubrics: 'Id of the rubric.',
  'review-queues': 'Id of the review queue.',
  labels: 'Id of the label.',
  holds: 'Id of the hold.',
  views: 'Id of the saved view.',
  sessions: 'Id of the session.',
  apikeys: 'Id of the API key.',
  users: 'Id of the account.',
  links: 'Id of the invite or of the link for a new password.',
  webhooks: 'Id of the webhook.',
}

const PARAMETERS: Readonly<Record<string, string>> = {
  project: 'Name of the project.',
  suite: 'Name of the suite.',
  case_key: 'Key of the case.',
  other: 'Id of the run that is compared with the first.',
  key: 'Key of the cache entry: `sha256:` and 64 hexadecimal digits.',
  user_id: 'Id of the account.',
  run_id: 'Id of the run.',
  provider: 'Id of the provider.',
  prompt: 'Id of the prompt.',
  test: 'Id of the test.',
  test_id: 'Id of the test.',
  tag: 'Only those with this tag.',
  branch: 'Only runs of this branch.',
  status: 'Only those with this status. A run has the status `error` if a case of it does, else `fail` if one failed.',
  origin: 'Only runs of CI, or only local ones.',
  actor: 'Only runs whose document names this actor, or that an account or token with this name uploaded.',
  cached: 'Whether the response of the provider was read from a cache.',
  sort: 'What the rows are sorted by.',
  order: 'The direction of the order.',
  q: 'The words, or the part of a text, to search for.',
  stop_reason: 'Why the model stopped.',
  error_class: 'The class of the error.',
  empty_reason: 'Why the output is empty.',
  dry_run: 'Only counts: nothing is written.',
  seq: 'Number of the record, counted from 1.',
  model: 'The model that was asked.',
  older_than_days: 'Evicts entries that were stored more than this many days ago.',
  newer_than_days: 'Evicts entries that were stored less than this many days ago.',
  target_bytes: 'Evicts the least recently used entries until the cache has at most this many bytes.',
  min_cost_microusd: 'The least cost in millionths of a US dollar.',
  max_cost_microusd: 'The greatest cost in millionths of a US dollar.',
}

/** Describes a parameter by its name, where the route does not; undefined for a name that has no general meaning. */
export const describeParameter = (path: string, name: string): string | undefined => {
  const [, before = ''] = /\/([\w-]+)\/\{id\}/.exec(path) ?? []
  return name === 'id' ? IDS[before] : PARAMETERS[name]
}

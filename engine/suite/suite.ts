import type { AssertionKind } from '../assertions/assertion.ts'
import type { JsonObject, Json } from '../json.ts'

/** A composed, interpolated and validated suite. Relative paths in it are relative to `LoadedSuite.directory`. */
export type Suite = {
  readonly version: 1
  readonly project?: string
  readonly suite?: string
  readonly description?: string
  readonly providers: readonly ProviderSpec[]
  readonly prompts: readonly PromptSpec[]
  readonly tools: readonly Tool[]
  readonly tests: readonly TestSource[]
  readonly defaults?: Defaults
  readonly grader?: GraderSpec
  /** Defaults are filled in. */
  readonly runner: RunnerSpec
  /** Defaults are filled in. */
  readonly cache: CacheSpec
  readonly baseline?: { readonly branch: string }
}

/** A suite with the place it was read from. */
export type LoadedSuite = {
  /** The suite file as the caller named it; errors start with it. */
  readonly file: string
  /** The folder of the suite file, absolute: paths, programs and the default cache belong to it. */
  readonly directory: string
  readonly suite: Suite
  /** The resolved configuration as a run document records it (`config_snapshot`). */
  readonly snapshot: JsonObject
  readonly warnings: readonly SuiteIssue[]
}

/** One finding about a suite. `line` and `column` count from 1 and are absent where no single place is to blame. */
export type SuiteIssue = {
  readonly severity: 'error' | 'warning'
  /** The file of the finding, as a person would name it. */
  readonly file: string
  /** The dotted path in the suite, for example `runner.retries.maxx` or `tests[2].assert[0]`. Empty: the whole file. */
  readonly path: string
  readonly message: string
  readonly line?: number
  readonly column?: number
  /** The text of that line. */
  readonly source?: string
}

type ProviderBase = {
  readonly id: string
  readonly label?: string
  readonly fallback: readonly string[]
  readonly fallback_only: boolean
}

export type ExecProvider = ProviderBase & {
  readonly type: 'exec'
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Names of variables of the command that the program gets too. Their values are recorded nowhere. */
  readonly pass_env?: readonly string[]
  readonly timeout_ms: number
  /** A `$digest:` salt is resolved already. */
  readonly cache_salt?: string
}

/** Prices in USD per million tokens. */
export type Pricing = {
  readonly input_per_mtok?: number
  readonly output_per_mtok?: number
  readonly cache_read_per_mtok?: number
  readonly cache_write_per_mtok?: number
  readonly cache_write_1h_per_mtok?: number
}

/** How the HTTP request of a vendor API differs from its default. String leaves are templates over `env`. */
export type RequestSpec = {
  readonly auth?: 'api_key' | 'bearer' | 'none'
  readonly path?: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Json
}

/** What providers, judges and embeddings have in common that speak the API of a vendor. */
export type VendorSpec = {
  readonly model: string
  /** Without trailing slashes; absent: the address of the vendor. */
  readonly base_url?: string
  /** Names of variables in order of preference; absent: the usual variable of the vendor. */
  readonly api_key_env?: readonly string[]
  readonly params: JsonObject
  readonly pricing?: Pricing
  readonly request: RequestSpec
  readonly cache_salt?: string
}

export type VendorProvider = ProviderBase & VendorSpec & { readonly type: 'anthropic' | 'openai' }
export type EmbeddingsProvider = ProviderBase & VendorSpec & { readonly type: 'embeddings' }

export type HttpProvider = ProviderBase & {
  readonly type: 'http'
  readonly url: string
  /** In upper case. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Json
  readonly output_expr?: string
}

export type ProviderSpec = ExecProvider | VendorProvider | HttpProvider | EmbeddingsProvider

export type TextBlock = { readonly type: 'text'; readonly text: string }
export type ThinkingBlock = { readonly type: 'thinking'; readonly thinking: string; readonly signature?: string }
export type ToolCall = { readonly id?: string; readonly name: string; readonly arguments: Json }

/** One message of a conversation. `content` is absent only where `tool_calls` are present. */
export type Turn = {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content?: string | ReadonlyArray<TextBlock | ThinkingBlock>
  readonly tool_calls?: readonly ToolCall[]
  readonly tool_call_id?: string
}

/** Exactly one of `template` and `messages`. `'history'` among the messages is where the history of a test goes. */
export type PromptSpec =
  | { readonly id: string; readonly template: string }
  | { readonly id: string; readonly messages: ReadonlyArray<Turn | 'history'> }

export type Tool = { readonly name: string; readonly description?: string; readonly input_schema?: Json }

/** The history of a test: turns, or a `file://` reference to a list of turns, which is read when a cell runs. */
export type History = readonly Turn[] | string

export type Defaults = {
  readonly vars: JsonObject
  readonly assert: readonly AssertionSpec[]
  readonly tags: readonly string[]
  readonly threshold?: number
  readonly cache_salt?: string
  readonly history?: History
}

/** An entry of `tests`: a glob of files, a program that generates tests, or a test. */
export type TestSource =
  | { readonly kind: 'files'; readonly glob: string }
  | {
      readonly kind: 'generator'
      readonly command: readonly string[]
      readonly config: Json
      /** As for exec providers. */
      readonly pass_env?: readonly string[]
      readonly timeout_ms: number
    }
  | { readonly kind: 'inline'; readonly test: TestSpec }

/** A test as it is written. */
export type TestSpec = {
  readonly id?: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly vars: JsonObject
  readonly matrix?: JsonObject
  readonly matrix_id?: string
  readonly assert: readonly AssertionSpec[]
  readonly threshold?: number
  readonly cache_salt?: string
  readonly only_providers?: readonly string[]
  readonly skip_providers?: readonly string[]
  readonly history?: History
  /** `true` or the reason. Absent: the test is expected to pass. */
  readonly expect_fail?: true | string
}

/**
 * A test after expansion: ids and matrix resolved, defaults joined, `$file` vars loaded, `$digest:` salts computed. A
 * var `{$raw: x}` is still written so, and so is the value of a `$file` with `raw: true`.
 */
export type ExpandedTest = Omit<TestSpec, 'id' | 'matrix' | 'matrix_id'> & {
  readonly id: string
  /** Where it comes from, for messages: `tests[2]`, `cases/a.csv line 3`, `generator node gen.mjs`. */
  readonly source: string
}

/** An assertion as it is written, a `not-` prefix resolved to `negate`. The fields of its kind are in `fields`. */
export type AssertionSpec = {
  readonly kind: AssertionKind
  readonly weight: number
  readonly negate: boolean
  /** The fields of the kind as authored, without `type`, `weight` and `negate`: `value`, `max`, `schema`, `grader`… */
  readonly fields: JsonObject
  /** The parsed grader block of an `llm-rubric` that has one. */
  readonly grader?: GraderSpec
}

export type GraderSpec = {
  readonly provider: GraderProvider
  readonly api_key_env?: readonly string[]
  readonly base_url?: string
  readonly params: JsonObject
  /** A `file://` reference. */
  readonly template?: string
  readonly include_tool_calls: boolean
  /** Only used on the grader of the suite. */
  readonly timeout_ms: number
  readonly pricing?: Pricing
}

/** A provider block without `id`. Any type is accepted here; grading rejects all but `anthropic` and `openai`. */
export type GraderProvider = VendorSpec & { readonly type: string }

export type RunnerSpec = {
  readonly concurrency: number
  readonly retries: {
    readonly max: number
    readonly initial_ms: number
    readonly max_ms: number
    readonly jitter: boolean
    readonly retry_after_max_ms: number
  }
  /** Provider calls started per second, for each provider. */
  readonly rate_limit?: { readonly rps: number }
  /** Ceiling of one cell. */
  readonly timeout_ms?: number
  readonly short_circuit: boolean
  readonly skip_on_empty_reason: readonly string[]
  readonly refusal_patterns: readonly string[]
  readonly fallback_on_empty_reason: readonly string[]
}

export type StorePolicy = 'never' | 'reproducible' | 'always'

export type CacheSpec = {
  readonly backend: 'disk' | 'layered' | 'http' | 's3'
  readonly s3?: {
    readonly bucket: string
    readonly endpoint?: string
    readonly region?: string
    readonly prefix?: string
    readonly force_path_style: boolean
  }
  readonly store_empty_outputs: StorePolicy
  readonly grader: boolean
}

import type { RunFormat } from '../../engine/report/run-report.ts'
import type { ServerUrlOptions } from '../client/engine-server.ts'
import type { GlobalOptions } from '../suite/global-options.ts'

/** The options of `ers run` as they are given. */
export type RunCommandOptions = GlobalOptions &
  ServerUrlOptions & {
    readonly tag?: readonly string[]
    readonly filter?: readonly string[]
    readonly provider?: readonly string[]
    readonly prompt?: readonly string[]
    /** False for `--no-cache`. */
    readonly cache: boolean
    readonly cacheOnly?: boolean
    readonly graderCache: boolean
    readonly cacheDir?: string
    readonly storeEmptyOutputs?: 'never' | 'reproducible' | 'always'
    readonly repeat: number
    readonly concurrency?: number
    /** A number, or false for `--no-retries`. */
    readonly retries?: number | boolean
    readonly fallbackOnEmptyReason?: string
    readonly fallback: boolean
    readonly format?: readonly RunFormat[]
    readonly out?: string
    readonly against?: string
    readonly summaryMd?: string
    readonly share?: boolean
    readonly plan?: string
    readonly allowShareFailure?: boolean
    readonly raw: boolean
    readonly progress: boolean
    readonly allowEmpty?: boolean
    readonly note?: string
    readonly provenance: boolean
  }

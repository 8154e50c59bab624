import type { Json } from '../../domain/run/readers.ts'
import type { JsonObject, Row } from '../read/row.ts'
import type { Folder, SourceFile } from '../read/source-file.ts'
import type { Look } from '../read/look.ts'
import type { Losses } from '../document/losses.ts'
import type { CaseDraft } from '../document/case/case-draft.ts'
import type { ToolCounts } from '../document/tool-counts.ts'
import type { ImportOptions } from '../document/import-options.ts'

/** The name of a format, as `--from` takes it: default project of its runs, and prefix of their ids. */
export type Format = string

/**
 * What an importer says of a file that it recognises.
 *
 * - `reason`: by what it was recognised, such as "keys results, configs, n-shot".
 * - `refused`: the file is of this tool, but cannot be imported, and why.
 * - `isCompanion`: the file belongs to another file of the same folder, and is not imported by itself. A function reads the file
 *   to find that out.
 */
export type Claim = {
  readonly reason: string
  readonly refused?: string
  readonly isCompanion?: true | ((file: SourceFile) => Promise<boolean>)
}

/** A file that is imported with another one. `isNear`: that one is in the same folder, so it is imported now. */
export type Belonging = { readonly belongsTo: string; readonly isNear?: true }

/** Files that are imported with another one. `shared` are those that other sources have too. */
export type Companions = { readonly companions: readonly SourceFile[]; readonly shared: readonly SourceFile[] }

/**
 * The files of one import: the recognised file, and those that belong to it. Shared ones are not kept with a run: they would
 * show it to those who see another.
 */
export type Source = {
  readonly file: SourceFile
  readonly look: Look
  readonly companions: readonly SourceFile[]
  readonly shared?: readonly SourceFile[]
}

/** What is known of a run as a whole. Times are RFC 3339 with an offset. Null and absent members are unknown. */
export type RunHead = {
  readonly formatVersion?: string | null
  readonly suite?: string | null
  /** Default: the name of the format. */
  readonly project?: string | null
  readonly startedAt?: string | null
  readonly finishedAt?: string | null
  readonly description?: string | null
  /** The configuration of the tool: what the row still has becomes the snapshot. */
  readonly config?: Row | null
  /**
   * What the source says of this one run apart from the configuration, such as its totals and the machine. It is in the
   * snapshot within 64 KiB, and not in the digest of the configuration.
   */
  readonly rest?: JsonObject | null
  readonly git?: { readonly branch?: string | null; readonly commit?: string | null; readonly dirty?: boolean | null }
  readonly ci?: { readonly provider?: string | null; readonly runUrl?: string | null }
  readonly origin?: {
    readonly actor?: string | null
    readonly host?: string | null
    readonly version?: string | null
    readonly note?: string | null
  }
  readonly tags?: readonly string[]
  /** What the tool counts of the run, to compare with its cases. */
  readonly counts?: ToolCounts | null
}

/** A run of a source, before its cases are read. */
export type SourceRun = {
  /** Names the run in its file; absent or null if the file is one run. */
  readonly part?: string | null
  /**
   * Whether all that the files of the source hold is of this run, so that they are kept with it. Default: if they are one run.
   */
  readonly isAlone?: boolean
  /** The tool's own id of the run, or a hash of its content. The id of the run document is derived from it. */
  readonly identity: string
  /** Equal stamps mean equal content. Without it, the SHA-256 of the file, or of all files of the source, is the stamp. */
  readonly stamp?: string | null
  /** The time of the run in epoch ms, for `--since` and `--until`, unless only the cases show it. */
  readonly timeMs?: number | null
  /**
   * Reads the cases in a fixed order. It is called again if the document has to be made smaller, and once more if it throws
   * `ReadAgain`.
   */
  readonly cases: (losses: Losses) => AsyncIterable<CaseDraft>
  /**
   * The bytes of the run document, if the source has a whole one: it keeps its own id, and options do not change it. Its
   * cases and its head are not asked for.
   */
  readonly document?: () => Promise<Uint8Array>
  /** What the source has of this run alone, in lines: kept as its original if the file has other runs too. */
  readonly lines?: () => Iterable<Json>
  /** Called after the cases were read. */
  readonly head: (losses: Losses) => RunHead | Promise<RunHead>
}

/** Reads one format of another tool. The same bytes give the same runs at any time and on any machine. */
export type Importer = {
  readonly format: Format
  /** Raised when the same file gives another document than before. It is in the document, not in its id. */
  readonly converter: number
  /** Whether its cases can have transcripts. */
  readonly hasTranscripts?: true
  /** One line for people: the tool, and which of its files. */
  readonly reads: string
  /** `isNamed`: the user named this format, so that it may claim what it would not recognise by itself. */
  readonly detect: (look: Look, isNamed: boolean) => Claim | null
  /** The files of the folder that belong to a recognised file, or the file to which it belongs itself. */
  readonly companions?: (
    file: SourceFile,
    look: Look,
    folder: Folder,
  ) => Promise<readonly SourceFile[] | Companions | Belonging>
  /** Throws `SourceRefused` if the source cannot be read. */
  readonly open: (source: Source, options: ImportOptions) => AsyncIterable<SourceRun>
}

export type { JsonObject }

import { firstCodePoints } from '../../domain/run/document.ts'

/**
 * - `left_out`: not in the document.
 * - `cut`: only the beginning is in the document.
 * - `changed`: in the document with another value.
 * - `assumed`: the source does not say it; a rule or an option decided.
 * - `contradicted`: the tool counts other cases than the source holds.
 * - `original_only`: not shown, but kept as evidence: in the original file, or in another part of the run.
 */
export type LossKind = 'left_out' | 'cut' | 'changed' | 'assumed' | 'contradicted' | 'original_only'

/** What an import lost at one path of the source. Indexes of arrays are `*` in the path. */
export type Loss = {
  readonly kind: LossKind
  readonly path: string
  readonly count: number
  /** The size as JSON of all that was lost there. */
  readonly bytes: number
  readonly example: string
  /** Why, in words. */
  readonly note?: string
}

/** The number of losses in a document. The report has all. */
const MAX_LOSSES_IN_DOCUMENT = 50
const MAX_EXAMPLE_CHARACTERS = 120
/** The number of different paths that are listed by themselves: a hostile source could have millions. */
const MAX_PATHS = 2_000

export type Losses = {
  /** Whether pictures and the like of a run are kept as parts, so that a document names them. */
  readonly keepsMedia: boolean
  /** Records a loss. `value` is what was lost: its size is measured, and its beginning is the example. */
  readonly add: (kind: LossKind, path: string, value: unknown, note?: string) => void
  /** Records a loss whose size is known, such as a member of an archive that is not read. */
  readonly addBytes: (kind: LossKind, path: string, bytes: number, note?: string) => void
  /** Adds losses that were recorded elsewhere, such as while a whole file was read, with their counts and sizes. */
  readonly addAll: (losses: readonly Loss[]) => void
  /** All losses: contradictions first, then the largest. */
  readonly all: () => readonly Loss[]
  /** The losses that a document lists. */
  readonly forDocument: () => readonly Loss[]
}

/** Records nothing: for what is read a second time. */
export const NO_LOSSES: Losses = {
  keepsMedia: false,
  add: () => {},
  addBytes: () => {},
  addAll: () => {},
  all: () => [],
  forDocument: () => [],
}

/** `hasOriginal`: the source file is kept, so what is left out or cut is in it. What has no bytes is not in the source. */
export const newLosses = (hasOriginal = false, keepsMedia = false): Losses => {
  const found = new Map<string, { -readonly [K in keyof Loss]: Loss[K] }>()
  const record = (lost: LossKind, path: string, bytes: number, example: () => string, note?: string, count = 1) => {
    const kind = hasOriginal && bytes > 0 && (lost === 'left_out' || lost === 'cut') ? 'original_only' : lost
    const shownPath = found.size < MAX_PATHS ? path : '(more paths)'
    const key = `${kind}\0${shownPath}\0${note ?? ''}`
    const known = found.get(key)
    if (known) {
      known.count += count
      known.bytes += bytes
    } else
      found.set(key, {
        kind,
        path: shownPath,
        count,
        bytes,
        example: example(),
        ...(note !== undefined && { note }),
      })
  }
  const all = () => [...found.values()].sort(byWeight)
  return {
    keepsMedia,
    add: (kind, path, value, note) => {
      const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
      const quotes = typeof value === 'string' ? 2 : 0
      record(kind, path, Buffer.byteLength(text) + quotes, () => firstCodePoints(text, MAX_EXAMPLE_CHARACTERS), note)
    },
    addBytes: (kind, path, bytes, note) => record(kind, path, bytes, () => '', note),
    addAll: (losses) => {
      for (const { kind, path, bytes, example, note, count } of losses)
        record(kind, path, bytes, () => example, note, count)
    },
    all,
    forDocument: () => all().slice(0, MAX_LOSSES_IN_DOCUMENT),
  }
}

/** A contradiction may mean missing cases, so it is listed first. */
const byWeight = (a: Loss, b: Loss): number =>
  Number(b.kind === 'contradicted') - Number(a.kind === 'contradicted') ||
  b.bytes - a.bytes ||
  (a.path < b.path ? -1 : 1)

/** A loss of several runs. */
export type SummedLoss = Loss & { readonly runs: number }

/** The number of different losses that are summed up. */
const MAX_SUMMED = 10_000

/** Sums the losses of several runs: those of one kind at one path are one loss. */
export const mergeLosses = () => {
  const found = new Map<string, { -readonly [K in keyof SummedLoss]: SummedLoss[K] }>()
  return {
    add: (losses: readonly Loss[]): void => {
      for (const loss of losses) {
        const key = `${loss.kind}\0${loss.path}\0${loss.note ?? ''}`
        const known = found.get(key)
        if (known) {
          known.count += loss.count
          known.bytes += loss.bytes
          known.runs += 1
        } else if (found.size < MAX_SUMMED) found.set(key, { ...loss, runs: 1 })
      }
    },
    all: (): readonly SummedLoss[] => [...found.values()].sort(byWeight),
  }
}

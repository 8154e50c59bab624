import { newLosses, NO_LOSSES, type Loss } from '../../document/losses.ts'
import { SourceRefused } from '../../document/source-refused.ts'
import { lookOrNull, type Look } from '../../read/look.ts'
import { storedJson } from '../../read/rows/records.ts'
import { openRowStore } from '../../read/rows/row-store.ts'
import type { JsonObject } from '../../read/row.ts'
import { isOfFile, type ImportScope, type SourceFile } from '../../read/source-file.ts'
import { otlpContent, otlpRecords, type TraceRecord } from './records.ts'
import { newResources } from './resources.ts'

// A trace may be spread over several files of an import, as of several services or of a file that was rotated. The files with spans
// of one trace are one run; log files belong to the runs whose traces they name. Log files are read once for all runs.

/** The files of a run. */
export type TraceFiles = {
  /** The files with spans, in the order of their paths. */
  readonly files: ReadonlyArray<{ readonly file: SourceFile; readonly look: Look }>
  /** The files with log records that are only of these traces, and those that are of other runs too, or of none. */
  readonly logs: readonly SourceFile[]
  readonly shared: readonly SourceFile[]
  /** The log records of a trace that are in those files. */
  readonly logsOf: (trace: string) => readonly TraceRecord[]
  /** The resources of those files. */
  readonly resources: readonly JsonObject[]
  readonly losses: readonly Loss[]
  /** Why a log file with records of these traces cannot be read; null if all can. */
  readonly failure: string | null
}

/** A file that is a run by itself. */
export const singleFile = (file: SourceFile, look: Look): TraceFiles => ({
  files: [{ file, look }],
  logs: [],
  shared: [],
  logsOf: () => [],
  resources: [],
  losses: [],
  failure: null,
})

const grouped = new WeakMap<ImportScope, Promise<ReadonlyMap<SourceFile, TraceFiles>>>()

/** The files of each run of an import, by each of those with spans. */
export const traceFilesIn = (scope: ImportScope): Promise<ReadonlyMap<SourceFile, TraceFiles>> => {
  const known = grouped.get(scope) ?? groupFiles(scope)
  grouped.set(scope, known)
  return known
}

const SPANS_KEY = Buffer.from('"resourceSpans"')

/** Whether a file that begins with log records has spans too. */
export const hasSpans = async (file: SourceFile, look: Look): Promise<boolean> => {
  if (look.kind === 'protobuf') return false
  // Its values are read only if the key is anywhere in it.
  if (!(await holdsBytes(file, SPANS_KEY))) return false
  for await (const record of otlpRecords(file, look, NO_LOSSES)) if ('span' in record) return true
  return false
}

const holdsBytes = async (file: SourceFile, wanted: Buffer): Promise<boolean> => {
  let end = Buffer.alloc(0)
  for await (const chunk of file.bytes()) {
    const bytes = Buffer.concat([end, chunk])
    if (bytes.includes(wanted)) return true
    end = bytes.subarray(-wanted.length)
  }
  return false
}

type Found = { readonly file: SourceFile; readonly look: Look; readonly isTraces: boolean }

const groupFiles = async (scope: ImportScope): Promise<ReadonlyMap<SourceFile, TraceFiles>> => {
  const found: Found[] = []
  for (const folder of scope.folders)
    for (const file of folder.files.values()) {
      const look = await lookOrNull(file)
      const content = look === null ? null : otlpContent(look)
      if (look === null || content === null) continue
      const isTraces = content === 'resourceSpans' || (await readOrReason(() => hasSpans(file, look))) === true
      found.push({ file, look, isTraces })
    }
  found.sort((a, b) => (a.file.path < b.file.path ? -1 : 1))
  const traced = found.filter(({ isTraces }) => isTraces)
  const logFiles = found.filter(({ isTraces }) => !isTraces)
  const groups = traced.length === 1 && logFiles.length === 0 ? null : await groupsOf(traced)
  return withLogs(traced, groups, logFiles, scope)
}

/** The numbers of the groups of files, by trace and by file. A file that cannot be read is a group of its own. */
type Groups = { readonly byTrace: ReadonlyMap<string, number>; readonly byFile: readonly number[] }

const groupsOf = async (traced: readonly Found[]): Promise<Groups> => {
  // A group has the number of its first file.
  const parents = traced.map((_, index) => index)
  const groupOf = (index: number): number => {
    let group = index
    while (parents[group] !== group) group = parents[group]!
    parents[index] = group
    return group
  }
  const join = (a: number, b: number): void => {
    const [first, second] = [groupOf(a), groupOf(b)]
    parents[Math.max(first, second)] = Math.min(first, second)
  }
  const owners = new Map<string, number>()
  const logged: ReadonlySet<string>[] = []
  for (const [index, { file, look }] of traced.entries()) {
    const [spans, logs] = [new Set<string>(), new Set<string>()]
    const failure = await readOrReason(async () => {
      for await (const record of otlpRecords(file, look, NO_LOSSES)) ('span' in record ? spans : logs).add(record.trace)
    })
    logged.push(failure === undefined ? logs : new Set())
    for (const trace of failure === undefined ? spans : []) {
      const owner = owners.get(trace)
      if (owner === undefined) owners.set(trace, index)
      else join(owner, index)
    }
  }
  // Log records in the same file as spans bring it to those of their traces.
  for (const [index, traces] of logged.entries())
    for (const trace of traces) {
      const owner = owners.get(trace)
      if (owner !== undefined) join(owner, index)
    }
  return {
    byTrace: new Map([...owners].map(([trace, index]) => [trace, groupOf(index)])),
    byFile: parents.map((_, index) => groupOf(index)),
  }
}

/** Adds the log files to the groups. Without groups there is one, and no log file. */
const withLogs = async (
  traced: readonly Found[],
  groups: Groups | null,
  logFiles: readonly Found[],
  scope: ImportScope,
): Promise<ReadonlyMap<SourceFile, TraceFiles>> => {
  const store = logFiles.length === 0 || traced.length === 0 ? null : scope.temporary.use(openRowStore())
  let number = 0
  const add = (record: TraceRecord): void =>
    store?.add(record.trace, '', ++number, JSON.stringify({ ...record, resource: undefined }))
  const groupOf = (trace: string) => groups?.byTrace.get(trace)
  const read: Array<LogFile & { readonly file: SourceFile }> = []
  if (store !== null)
    for (const { file, look } of logFiles) read.push({ file, ...(await readLogs(file, look, add, groupOf)) })
  const logsOf = (trace: string): readonly TraceRecord[] =>
    store?.allOf(trace).map(({ body }) => storedJson(body) as unknown as TraceRecord) ?? []
  const found = new Map<SourceFile, TraceFiles>()
  const numbers = [...new Set(groups?.byFile ?? (traced.length === 0 ? [] : [0]))]
  for (const group of numbers) {
    const own = read.filter(({ of }) => of.has(group))
    // What is of no run is named with the first one, and kept with none.
    const strange = group === numbers[0] ? read.filter(({ of }) => of.size === 0) : []
    const failed = own.find(({ failure }) => failure !== null)
    const files = traced.filter((_, index) => (groups?.byFile[index] ?? 0) === group)
    const isOwn = ({ of, isWhole }: LogFile): boolean => of.size === 1 && isWhole
    const of: TraceFiles = {
      files,
      logs: own.filter(isOwn).map(({ file }) => file),
      shared: [...own.filter((log) => !isOwn(log)), ...strange].map(({ file }) => file),
      logsOf,
      resources: own.flatMap(({ resources }) => resources),
      // What a file has for no run is recorded with the first one that it belongs to.
      losses: [...own.filter(({ of: [first] }) => first === group), ...strange].flatMap(({ losses }) => losses),
      failure: failed === undefined ? null : `${failed.file.name}: ${failed.failure}`,
    }
    for (const { file } of files) found.set(file, of)
  }
  return found
}

type LogFile = {
  /** The groups whose traces it names, in their order. */
  readonly of: ReadonlySet<number>
  /** Whether all of its records are of those groups. */
  readonly isWhole: boolean
  readonly resources: readonly JsonObject[]
  readonly losses: readonly Loss[]
  readonly failure: string | null
}

/** Reads a log file once, and finds the groups whose traces it names. A damaged one is a failure of those groups alone. */
const readLogs = async (
  file: SourceFile,
  look: Look,
  add: (record: TraceRecord) => void,
  groupOf: (trace: string) => number | undefined,
): Promise<LogFile> => {
  const losses = newLosses()
  const of = new Set<number>()
  let isWhole = true
  const isNew = newResources()
  const resources: JsonObject[] = []
  const failure = await readOrReason(async () => {
    for await (const record of otlpRecords(file, look, losses)) {
      if ('log' in record && isNew(record.resource)) resources.push(record.resource)
      const group = groupOf(record.trace)
      if (group === undefined) {
        isWhole = false
        losses.add('left_out', 'resourceLogs.*', record, NO_SPANS)
      } else {
        of.add(group)
        add(record)
      }
    }
  })
  if (failure !== undefined && of.size === 0)
    losses.addBytes('left_out', 'resourceLogs', file.size, `${file.name} cannot be read: ${failure}`)
  return {
    of: new Set([...of].sort((a, b) => a - b)),
    isWhole,
    resources,
    losses: losses.all(),
    failure: failure ?? null,
  }
}

export const NO_SPANS = 'of a trace that is not in the file'

/** What was read, or why a file cannot be read. */
const readOrReason = async <T>(read: () => Promise<T>): Promise<T | string> => {
  try {
    return await read()
  } catch (error) {
    if (error instanceof SourceRefused || isOfFile(error)) return error.message
    throw error
  }
}

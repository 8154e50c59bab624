import { closeSync, fstatSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, isAbsolute, join, relative } from 'node:path'
import type { CaseEvidence, CaseFile } from '../../document/evidence/case-evidence.ts'
import type { Losses } from '../../document/losses.ts'
import { SourceRefused } from '../../document/source-refused.ts'
import type { Json } from '../../../domain/run/readers.ts'
import { parseWhole } from '../../read/json/inner-json.ts'
import { MAX_ELEMENT_BYTES } from '../../read/json/json-elements.ts'
import { ifReadable, openReferenced, referencedFile } from '../../read/referenced-file.ts'
import { isObject } from '../../read/row.ts'
import type { SourceFile } from '../../read/source-file.ts'

// MLflow writes what is no text of a trace, such as pictures of its messages, as files into a folder of the trace:
// `mlruns/<experiment>/traces/<trace>/artifacts`, or `mlartifacts/…` if a server stores them. Older versions, such as 3.4, have the spans
// there too, and not in the database.

const SPANS_FILE = 'traces.json'

export type TraceArtifacts = Pick<CaseEvidence, 'folder' | 'files'> & {
  /** Reads the spans that are in a file; absent without one. Throws `SourceRefused` if it cannot be read. */
  readonly spans?: (losses: Losses) => readonly Json[]
}

const LOCATION = /(?:^|\/)([\w-]+)\/traces\/([\w-]+)\/artifacts\/?$/

/**
 * The files that MLflow wrote for a trace, if their folder is below that of the source. Its path may be of another machine: then it is
 * looked for in the folders that MLflow names by default.
 */
export const traceArtifacts = (
  location: string | null,
  trace: string,
  { diskPath }: SourceFile,
  losses: Losses,
): TraceArtifacts => {
  const [, experiment, named] = LOCATION.exec(location ?? '') ?? []
  if (diskPath === null || location === null || named !== trace) return {}
  const near = dirname(diskPath)
  const path = location.replace(/^file:\/\//, '')
  const own = join(experiment!, 'traces', trace, 'artifacts')
  const places = [isAbsolute(path) ? relative(near, path) : path, join('mlruns', own), join('mlartifacts', own)]
  for (const place of places) {
    const found = referencedFile(place, [near], 'folder')
    if ('why' in found) continue
    const spans = referencedFile(SPANS_FILE, [found.path])
    return {
      folder: [found.path, near],
      files: filesIn(found.path, losses),
      ...('path' in spans && { spans: (of) => spansIn(spans.path, of) }),
    }
  }
  return {}
}

const filesIn = (folder: string, losses: Losses): CaseFile[] =>
  ifReadable(() => readdirSync(folder, { recursive: true, withFileTypes: true }), [])
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .sort()
    .flatMap((name) => {
      const found = referencedFile(name, [folder])
      if ('path' in found) return [{ name: `artifacts/${name}`, path: found.path, role: 'other' as const }]
      losses.addBytes('left_out', '(artifacts)', 0, found.why)
      return []
    })

const spansIn = (path: string, losses: Losses): readonly Json[] => {
  const file = openReferenced(path)
  if (file === null) throw new SourceRefused(`${SPANS_FILE} cannot be opened`)
  try {
    if (fstatSync(file).size > MAX_ELEMENT_BYTES)
      throw new SourceRefused(`${SPANS_FILE} is larger than ${MAX_ELEMENT_BYTES} bytes`)
    const value = parseWhole(readFileSync(file), losses, SPANS_FILE)
    return isObject(value) && Array.isArray(value['spans']) ? (value['spans'] as Json[]) : []
  } finally {
    closeSync(file)
  }
}

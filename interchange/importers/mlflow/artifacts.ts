import { readdirSync } from 'node:fs'
import { dirname, isAbsolute, join, relative } from 'node:path'
import type { CaseEvidence, CaseFile } from '../../document/evidence/case-evidence.ts'
import type { Losses } from '../../document/losses.ts'
import { ifReadable, referencedFile } from '../../read/referenced-file.ts'
import type { SourceFile } from '../../read/source-file.ts'

// MLflow writes what is no text of a trace, such as pictures of its messages, as files into a folder of the trace:
// `mlruns/<experiment>/traces/<trace>/artifacts`, or `mlartifacts/…` if a server stores them.

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
): Pick<CaseEvidence, 'folder' | 'files'> => {
  const [, experiment, named] = LOCATION.exec(location ?? '') ?? []
  if (diskPath === null || location === null || named !== trace) return {}
  const near = dirname(diskPath)
  const path = location.replace(/^file:\/\//, '')
  const own = join(experiment!, 'traces', trace, 'artifacts')
  const places = [isAbsolute(path) ? relative(near, path) : path, join('mlruns', own), join('mlartifacts', own)]
  for (const place of places) {
    const found = referencedFile(place, [near], 'folder')
    if ('path' in found) return { folder: [found.path, near], files: filesIn(found.path, losses) }
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

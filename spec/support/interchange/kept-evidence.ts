import { readFileSync } from 'node:fs'
import { readManifest } from '../../../domain/evidence/manifest.ts'
import { EMPTY_OUTLINE, outliner, type OutlineTotals } from '../../../domain/transcript/outline.ts'
import type { RunEvidence } from '../../../interchange/document/evidence/collect-evidence.ts'
import type { ImportOptions } from '../../../interchange/document/import-options.ts'
import type { Imported } from './import-files.ts'

/** The options of an import that keeps evidence in a folder. */
export const keepingIn = (
  folder: string,
  { hasOriginal = false, hasOthers = true, files }: { hasOriginal?: boolean; hasOthers?: boolean; files?: string } = {},
): ImportOptions => ({ evidence: { folder, hasOriginal, hasOthers, files } })

type Line = Record<string, unknown>

export const bytesOf = (evidence: RunEvidence, sha256: string): Buffer =>
  readFileSync(evidence.files.find((file) => file.sha256 === sha256)!.path)

export const entriesOf = (evidence: RunEvidence) => readManifest(bytesOf(evidence, evidence.manifest)).entries

const linesOf = (bytes: Buffer): Line[] =>
  bytes
    .toString()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line)

export const evidenceOf = (result: Imported | undefined): RunEvidence => {
  if (result === undefined || !('run' in result) || result.run.evidence === null) throw new Error('no evidence')
  return result.run.evidence
}

export const transcriptsOf = (evidence: RunEvidence): Line[][] =>
  entriesOf(evidence)
    .filter(({ role }) => role === 'transcript')
    .map(({ sha256 }) => linesOf(bytesOf(evidence, sha256)))

/** What the parts of a run hold: the values of JSON, texts, and of other bytes what stands in their place. */
export const partValues = (evidence: RunEvidence): readonly unknown[] =>
  entriesOf(evidence).map(({ sha256, media_type: type }) => {
    const bytes = bytesOf(evidence, sha256)
    if (type === 'application/x-ndjson') return linesOf(bytes)
    if (type === 'application/json') return JSON.parse(bytes.toString()) as unknown
    return type?.startsWith('text/') ? bytes.toString() : `part:${sha256}`
  })

/** The totals of the outline of a transcript, as the service makes it. */
export const outlineTotals = (lines: readonly object[]): OutlineTotals => {
  const outline = outliner(EMPTY_OUTLINE, () => {})
  outline.push(Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('')))
  outline.end()
  return outline.state().totals
}

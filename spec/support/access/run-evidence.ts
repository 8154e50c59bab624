import { aCase } from '../documents/documents.ts'
import { attach, digestOf, manifestOf, sendEvidence } from '../documents/parts.ts'
import type { Send } from '../servers/app.ts'

/** A part of the evidence of some runs, which is a transcript too. */
export const PART = Buffer.from('what the judge said')

const { case_key } = aCase()
const ENTRIES = [
  { bytes: PART, role: 'grading', case_key },
  { bytes: PART, role: 'transcript', case_key },
]

/** The digest of the manifest that names it. */
export const MANIFEST_DIGEST = digestOf(manifestOf(ENTRIES))

/** Adds it to a run, as evidence 1. */
export const addEvidence = async (send: Send, run_id: string): Promise<void> => {
  const manifest = await sendEvidence(send, ENTRIES)
  const { statusCode, body } = await attach(send, run_id, manifest)
  if (statusCode !== 201) throw new Error(`evidence was answered with ${statusCode}: ${body}`)
}

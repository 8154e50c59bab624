import { aDocument } from '../documents/documents.ts'
import { attach, digestOf, manifestOf, noise, putPart, sendEvidence } from '../documents/parts.ts'
import type { Send, SpecApp } from '../servers/app.ts'
import { json, type SpecResponse } from './access-requests.ts'

const OPEN = { project: 'open', suite: 's' } as const

const manifestWith = (bytes: Buffer): Buffer => manifestOf([{ bytes, role: 'original' }])

/** Stores a part in a run of a set that is hidden then. Returns it. */
export const hidePart = async (spec: SpecApp): Promise<Buffer> => {
  const bytes = noise(300_000, 404)
  const evidence_manifest = await sendEvidence(spec.sendAs('write'), [{ bytes, role: 'original' }])
  const document = { ...aDocument({ run_id: 'hides', project: 'hidden', suite: 's' }), evidence_manifest }
  const { statusCode } = await spec.ingest(document)
  if (statusCode !== 201) throw new Error(`the run was answered with ${statusCode}`)
  await spec.restrict('hidden')
  return bytes
}

/**
 * All answers that a caller gets who names a part, sends it and names it again: status, headers and body, without digests, ids and
 * times. `n` differs for each part.
 */
export const answersForPart = async (spec: SpecApp, send: Send, bytes: Buffer, n: number) => {
  const manifest = digestOf(manifestWith(bytes))
  const post = (path: string, body: object) => send('POST', path, { headers: json, body: JSON.stringify(body) })
  const findMissing = () => post('/parts/missing', { sha256: [digestOf(bytes)] })
  const upload = () => post('/runs', { ...aDocument({ run_id: `new-${n}`, ...OPEN }), evidence_manifest: manifest })
  await spec.ingest(aDocument({ run_id: `there-${n}`, ...OPEN }))
  const answers: SpecResponse[] = [
    await findMissing(),
    await send('GET', `/parts/${digestOf(bytes)}/upload`),
    await putPart(send, manifestWith(bytes)),
    await upload(),
    await attach(send, `there-${n}`, manifest),
    await putPart(send, bytes),
    await findMissing(),
    await upload(),
    await attach(send, `there-${n}`, manifest),
  ]
  return answers.map(({ statusCode, headers, body }) => ({
    ...{ statusCode, headers: { ...headers, date: '', 'x-request-id': '' } },
    body: body.replaceAll(/[0-9a-f]{64}/g, 'digest').replaceAll(`-${n}"`, '-n"'),
  }))
}

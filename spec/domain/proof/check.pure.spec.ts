import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { utf8 } from '../../../domain/proof/bytes.ts'
import { checkCheckpoint, checkReceipt, type GivenDocument, type Trust } from '../../../domain/proof/check.ts'
import { parseVkey } from '../../../domain/proof/keys.ts'
import { signedNote } from '../../../domain/proof/note.ts'
import { openingText, parseOpening, type Opening } from '../../../domain/proof/opening.ts'
import { parsePolicy } from '../../../domain/proof/policy.ts'
import { parseProof, proofText } from '../../../domain/proof/tlog-proof.ts'
import { nodeCrypto } from '../../../storage/log/proof-crypto.ts'
import {
  CHECKPOINT_TEXT,
  COSIGNED_NOTE,
  LOG_LINE,
  LOG_VKEY,
  OPENING,
  RECEIPT,
  RECEIPT_SHA256,
  WITNESS_LINE,
  WITNESS_VKEY,
} from '../../support/proof/check-value.ts'
import { logKey, mlDsaKey, witnessKey } from '../../support/proof/keys.ts'
import { bodyWith, soleReceipt } from '../../support/proof/receipts.ts'

const log = await parseVkey(LOG_VKEY, nodeCrypto)
const witness = await parseVkey(WITNESS_VKEY, nodeCrypto)
const policyOf = (text: string) => parsePolicy(text, nodeCrypto)
const COSIGNED = await policyOf(`log ${LOG_VKEY}\nwitness w ${WITNESS_VKEY}\nquorum w\n`)

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const DOCUMENT: GivenDocument = { bytes: 2, sha256: sha256('{}') }

type Given = Partial<Trust> & { readonly document?: GivenDocument }

const check = (text: string, given: Given = {}) =>
  checkReceipt(text, { keys: [log], policy: null, ...given }, nodeCrypto)

const refused = (code: number, message: string): Error =>
  expect.objectContaining({ name: 'ProofFailed', code, message: expect.stringContaining(message) as string }) as Error

/** The check value, with other parts. */
const receiptOf = (changes: Partial<ReturnType<typeof parseProof>>) => proofText({ ...parseProof(RECEIPT), ...changes })

/** A receipt of the only record of a log, and its key. */
const sole = async (opening: Opening, origin?: string) => {
  const { receipt, vkey } = await soleReceipt({ ...opening, ...(origin === undefined ? {} : { origin }) })
  return { receipt, keys: [await parseVkey(vkey, nodeCrypto)] }
}

describe('the check value', () => {
  it('is written byte by byte', () => {
    expect(Buffer.byteLength(RECEIPT)).toBe(1062)
    expect(sha256(RECEIPT)).toBe(RECEIPT_SHA256)
    expect(proofText(parseProof(RECEIPT))).toBe(RECEIPT)
    expect(parseOpening(parseProof(RECEIPT).extra ?? Buffer.of())).toEqual(OPENING)
  })

  it('is accepted, with its document and its witness', async () => {
    expect(await check(RECEIPT, { keys: [log, witness], document: DOCUMENT })).toMatchObject({
      index: 1,
      document: 'matches',
      checkpoint: {
        origin: 'results.example/log',
        size: 3,
        signed_by: [LOG_VKEY],
        witnesses: [{ name: 'witness.example/w1', at: 1_777_885_300 }],
        unchecked: [],
      },
      record: { run_id: 'a/b', plan_id: null, document: DOCUMENT, version: 1 },
    })
    expect(await check(RECEIPT)).toMatchObject({ document: 'not given', checkpoint: { witnesses: [] } })
    expect(await check(RECEIPT, { keys: [], policy: COSIGNED })).toMatchObject({
      checkpoint: { witnesses: [{ name: 'witness.example/w1' }] },
    })
  })
})

it('the form of a receipt is refused with 20 before anything else is checked', async () => {
  await expect(check(receiptOf({ extra: null }), { keys: [] })).rejects.toThrow(
    refused(20, 'does not contain a record'),
  )
  await expect(check(receiptOf({ extra: utf8('{}') }), { keys: [] })).rejects.toThrow(refused(20, 'opening'))
  await expect(check(`${RECEIPT}x\n`, { keys: [] })).rejects.toThrow(refused(20, 'signature line'))
  await expect(check(RECEIPT.replace('\n3\n', '\n03\n'), { keys: [] })).rejects.toThrow(refused(20, 'size'))
})

describe('the signatures of a checkpoint', () => {
  const text = CHECKPOINT_TEXT
  const verify = (lines: readonly string[], trust: Partial<Trust> = {}) =>
    checkCheckpoint(signedNote(text, lines), { keys: [log], policy: null, ...trust }, nodeCrypto)

  it('must be of a trusted key with the name of the origin', async () => {
    const other = await logKey('results.example/other', 1)
    const sameName = await logKey('results.example/log', 9)
    await expect(verify([LOG_LINE], { keys: [] })).rejects.toThrow(
      refused(14, 'none of the given keys belongs to the log "results.example/log"'),
    )
    await expect(verify([LOG_LINE, other.sign(text)], { keys: [other.vkey] })).rejects.toThrow(
      refused(14, 'belongs to the log'),
    )
    await expect(verify([LOG_LINE], { keys: [sameName.vkey] })).rejects.toThrow(refused(14, 'signed the checkpoint'))
    await expect(verify([WITNESS_LINE])).rejects.toThrow(refused(14, 'signed the checkpoint'))
    expect(await verify([sameName.sign(text), LOG_LINE], { keys: [sameName.vkey] })).toMatchObject({
      signed_by: [sameName.vkey.text],
    })
  })

  it('are not those of a witness with the name of the origin', async () => {
    const impostor = await witnessKey('results.example/log', 1)
    await expect(verify([impostor.sign(text)], { keys: [impostor.vkey] })).rejects.toThrow(
      refused(14, 'none of the given keys belongs to the log "results.example/log"'),
    )
    const policy = await policyOf(`log ${LOG_VKEY}\nwitness w ${impostor.vkey.text}\nquorum none\n`)
    await expect(verify([impostor.sign(text)], { keys: [], policy })).rejects.toThrow(
      refused(14, 'signed the checkpoint'),
    )
  })

  it('are Ed25519: an ML-DSA-44 key with the name of the origin is neither that of the log nor independent', async () => {
    const key = await mlDsaKey('results.example/log', 5)
    await expect(verify([LOG_LINE, key.sign(text)], { keys: [key.vkey] })).rejects.toThrow(
      refused(14, 'none of the given keys belongs to the log "results.example/log"'),
    )
    const own = await witnessKey('results.example/log', 6)
    for (const given of [key, own]) {
      const keys = [log, given.vkey]
      expect(await verify([LOG_LINE, given.sign(text, 7)], { keys })).toMatchObject({
        signed_by: [LOG_VKEY],
        witnesses: [],
        unchecked: [],
      })
      const policy = await policyOf(`log ${LOG_VKEY}\nwitness own ${given.vkey.text}\nquorum own\n`)
      expect(await verify([LOG_LINE, given.sign(text, 7)], { policy })).toMatchObject({
        witnesses: [{ name: 'results.example/log', vkey: given.vkey.text, at: 7 }],
      })
    }
    const elsewhere = { ...nodeCrypto, verifyMlDsa44: null }
    const note = signedNote(text, [LOG_LINE, key.sign(text, 7)])
    expect(await checkCheckpoint(note, { keys: [log, key.vkey], policy: null }, elsewhere)).toMatchObject({
      unchecked: [],
    })
  })

  it('of ML-DSA-44 keys that a policy lists as logs match nothing', async () => {
    const key = await mlDsaKey('results.example/log', 5)
    const policy = await policyOf(`log ${LOG_VKEY}\nlog ${key.vkey.text}\nquorum none\n`)
    const wrong = key.sign(text.replace('\n3\n', '\n4\n'))
    expect(await verify([LOG_LINE, wrong], { keys: [], policy })).toMatchObject({
      signed_by: [LOG_VKEY],
      witnesses: [],
      unchecked: [],
    })
    const alone = await policyOf(`log ${key.vkey.text}\nquorum none\n`)
    await expect(verify([LOG_LINE, key.sign(text)], { keys: [], policy: alone })).rejects.toThrow(
      refused(14, 'none of the given keys'),
    )
  })

  it('of witnesses without a time must be right, but neither count nor are listed', async () => {
    const [w, pq] = [await witnessKey('w.example', 3), await mlDsaKey('pq.example', 5)]
    for (const given of [w, pq]) {
      const keys = [log, given.vkey]
      expect(await verify([LOG_LINE, given.sign(text, 0)], { keys })).toMatchObject({ witnesses: [], unchecked: [] })
      await expect(verify([LOG_LINE, given.sign(text.replace('\n3\n', '\n4\n'), 0)], { keys })).rejects.toThrow(
        refused(14, 'wrong'),
      )
      const policy = await policyOf(`log ${LOG_VKEY}\nwitness w ${given.vkey.text}\nquorum w\n`)
      await expect(verify([LOG_LINE, given.sign(text, 0)], { keys: [], policy })).rejects.toThrow(
        refused(15, 'no witness of the policy has signed; w states no time, and does not count; it asks for w'),
      )
    }
  })

  it('of a witness that signed twice count with the latest time', async () => {
    const w = await witnessKey('w.example', 3)
    for (const times of [
      [7, 9],
      [9, 7],
      [0, 9],
      [9, 0],
    ])
      expect(
        await verify([LOG_LINE, ...times.map((time) => w.sign(text, time))], { keys: [log, w.vkey] }),
      ).toMatchObject({ witnesses: [{ name: 'w.example', at: 9 }] })
  })

  it('tell two keys of one name apart', async () => {
    const [one, two] = [await witnessKey('w.example', 3), await witnessKey('w.example', 4)]
    expect(
      await verify([LOG_LINE, one.sign(text, 7), two.sign(text, 8)], { keys: [log, one.vkey, two.vkey] }),
    ).toMatchObject({
      witnesses: [
        { name: 'w.example', vkey: one.vkey.text, at: 7 },
        { name: 'w.example', vkey: two.vkey.text, at: 8 },
      ],
    })
  })

  it('must all be right that have the name and id of a trusted key', async () => {
    const wrong = LOG_LINE.replace('IHpGTDyT', 'IHpGTDyU')
    await expect(verify([wrong])).rejects.toThrow(refused(14, 'is wrong'))
    await expect(verify([LOG_LINE, wrong])).rejects.toThrow(refused(14, 'is wrong'))
    await expect(verify([wrong, LOG_LINE])).rejects.toThrow(refused(14, 'is wrong'))
    const wrongWitness = WITNESS_LINE.replace('TybuyYHd', 'TybuyYHe')
    await expect(verify([LOG_LINE, wrongWitness], { keys: [], policy: COSIGNED })).rejects.toThrow(
      refused(14, 'witness'),
    )
    expect(await verify([LOG_LINE, wrongWitness])).toMatchObject({ witnesses: [] })
    const short = `— results.example/log ${Buffer.from('207a464c00', 'hex').toString('base64')}`
    await expect(verify([LOG_LINE, short])).rejects.toThrow(refused(14, 'is wrong'))
    const shortWitness = `— witness.example/w1 ${Buffer.from('c03ad8d4000000', 'hex').toString('base64')}`
    await expect(verify([LOG_LINE, shortWitness], { keys: [log, witness] })).rejects.toThrow(refused(14, 'is wrong'))
  })

  it('count once for each key', async () => {
    expect(await verify([LOG_LINE, LOG_LINE, WITNESS_LINE, WITNESS_LINE], { keys: [log, log, witness] })).toMatchObject(
      {
        signed_by: [LOG_VKEY],
        witnesses: [{ name: 'witness.example/w1', at: 1_777_885_300 }],
      },
    )
  })

  it('of witnesses state a time, which is signed', async () => {
    const w = await witnessKey('w.example', 3)
    const [early, late] = [w.sign(text, 1), w.sign(text, 2)]
    expect(await verify([LOG_LINE, early], { keys: [log, w.vkey] })).toMatchObject({ witnesses: [{ at: 1 }] })
    const bytes = (line: string) => Buffer.from(line.split(' ')[2] ?? '', 'base64')
    const swapped = Buffer.concat([bytes(early).subarray(0, 12), bytes(late).subarray(12)]).toString('base64')
    await expect(verify([LOG_LINE, `— w.example ${swapped}`], { keys: [log, w.vkey] })).rejects.toThrow(
      refused(14, 'wrong'),
    )
    const future = Buffer.concat([bytes(early).subarray(0, 4), Buffer.alloc(8, 255), bytes(early).subarray(12)])
    const line = `— w.example ${future.toString('base64')}`
    await expect(verify([LOG_LINE, line], { keys: [log, w.vkey] })).rejects.toThrow(refused(14, 'wrong'))
  })

  it('must meet the policy', async () => {
    await expect(verify([LOG_LINE], { keys: [], policy: COSIGNED })).rejects.toThrow(refused(15, 'no witness'))
    const two = await policyOf(
      `log ${LOG_VKEY}\nwitness w ${WITNESS_VKEY}\nwitness v ${(await witnessKey('v', 4)).vkey.text}\ngroup g all w v\nquorum g\n`,
    )
    await expect(verify([LOG_LINE, WITNESS_LINE], { keys: [], policy: two })).rejects.toThrow(
      refused(15, 'of the witnesses of the policy, only w signed; it asks for all of w, v'),
    )
    const none = await policyOf(`log ${LOG_VKEY}\nquorum none\n`)
    expect(await verify([LOG_LINE], { keys: [], policy: none })).toMatchObject({ size: 3 })
    const noLogs = await policyOf(`witness w ${WITNESS_VKEY}\nquorum w\n`)
    await expect(verify([LOG_LINE, WITNESS_LINE], { keys: [], policy: noLogs })).rejects.toThrow(
      refused(14, 'belongs to'),
    )
    expect(await verify([LOG_LINE, WITNESS_LINE], { policy: noLogs })).toMatchObject({ size: 3 })
  })

  it('of ML-DSA-44 count where they can be checked', async () => {
    const w = await mlDsaKey('w.example', 5)
    const policy = await policyOf(`log ${LOG_VKEY}\nwitness w ${w.vkey.text}\nquorum w\n`)
    const note = signedNote(text, [LOG_LINE, w.sign(text, 7)])
    expect(await checkCheckpoint(note, { keys: [], policy }, nodeCrypto)).toMatchObject({
      witnesses: [{ name: 'w.example', at: 7 }],
    })
    const elsewhere = { ...nodeCrypto, verifyMlDsa44: null }
    await expect(checkCheckpoint(note, { keys: [], policy }, elsewhere)).rejects.toThrow(refused(15, 'no witness'))
    expect(await checkCheckpoint(note, { keys: [log, w.vkey], policy: null }, elsewhere)).toMatchObject({
      witnesses: [],
      unchecked: ['w.example'],
    })
    const foreign = signedNote(text, [LOG_LINE, w.sign(text.replace('\n3\n', '\n4\n'))])
    await expect(checkCheckpoint(foreign, { keys: [], policy }, nodeCrypto)).rejects.toThrow(refused(14, 'wrong'))
    const longName = await mlDsaKey('w'.repeat(256), 6)
    const unsignable = signedNote(text, [LOG_LINE, longName.sign(text)])
    await expect(checkCheckpoint(unsignable, { keys: [log, longName.vkey], policy: null }, nodeCrypto)).rejects.toThrow(
      refused(14, 'wrong'),
    )
  })
})

describe('the way from the record to the root', () => {
  it('is refused with 10 unless every part of it is as it was', async () => {
    const { path } = parseProof(RECEIPT)
    const changed: [string, string][] = [
      [receiptOf({ index: 0 }), 'root'],
      [receiptOf({ index: 2 }), 'number of hashes'],
      [receiptOf({ index: 3 }), 'covers 3 records'],
      [receiptOf({ path: path.slice(1) }), 'number of hashes'],
      [receiptOf({ path: [...path, Buffer.alloc(32)] }), 'number of hashes'],
      [receiptOf({ path: path.toReversed() }), 'root'],
      ...[
        { ...OPENING, salt: '010102030405060708090a0b0c0d0e0f' },
        { ...OPENING, recorded_at: OPENING.recorded_at + 1 },
        { ...OPENING, type: 'RunDeleted' },
        { ...OPENING, body: OPENING.body.replace('"chat"', '"chit"') },
      ].map((opening): [string, string] => [receiptOf({ extra: utf8(openingText(opening)) }), 'root']),
    ]
    for (const [text, message] of changed) await expect(check(text)).rejects.toThrow(refused(10, message))
  })

  it('is checked after the signatures', async () => {
    await expect(check(receiptOf({ index: 2 }), { keys: [] })).rejects.toThrow(refused(14, ''))
    const note = COSIGNED_NOTE.replace(`\n${WITNESS_LINE}`, '')
    await expect(check(receiptOf({ index: 2, checkpoint: note }), { keys: [], policy: COSIGNED })).rejects.toThrow(
      refused(15, ''),
    )
  })
})

describe('what a record says', () => {
  it.each([
    ['white space', OPENING.body.replace('{"actor"', '{ "actor"')],
    ['another order', OPENING.body.replace(/^(.*)("request_id":"[^"]*"),("stream":"[^"]*")/, '$1$3,$2')],
    ['no JSON', '{'],
    ['no object', '[]'],
    ['one member more', bodyWith({}).replace('"version":1', '"version":1,"w":1')],
    ['no actor', bodyWith({ actor: null })],
    ['data that is no object', bodyWith({ data: [] })],
    ['version 0', bodyWith({ version: 0 })],
    ['a version that is no integer', bodyWith({ version: 1.5 })],
    ['a stream that is no text', bodyWith({ stream: 1 })],
    ['the stream of another kind', bodyWith({ stream: 'plan/a' })],
    ['a stream of no run', bodyWith({ stream: 'run/' })],
    ['a stream of two parts', bodyWith({ stream: 'run/a/b' })],
    ['a stream with a wrong escape', bodyWith({ stream: 'run/%zz' })],
    ['a request id that is no text', bodyWith({ request_id: 1 })],
    ['no digest of the document', bodyWith({ data: { document_bytes: 2 } })],
    ['no length of the document', bodyWith({ data: { document_bytes: null, document_sha256: 'x' } })],
    ['a number beyond a double', bodyWith({}).replace('"version":1', '"version":1e400')],
    ['nesting without end', `${'['.repeat(80_000)}${']'.repeat(80_000)}`],
  ])('is refused with 10: %s', async (_, body) => {
    const { receipt, keys } = await sole({ ...OPENING, body })
    await expect(check(receipt, { keys })).rejects.toThrow(refused(10, ''))
  })

  it('must be about the document', async () => {
    await expect(check(RECEIPT, { document: { ...DOCUMENT, bytes: 3 } })).rejects.toThrow(refused(10, 'ers export'))
    await expect(check(RECEIPT, { document: { ...DOCUMENT, sha256: sha256('[]') } })).rejects.toThrow(
      refused(10, 'ers export'),
    )
    const deleted = await sole({ ...OPENING, type: 'RunDeleted' })
    expect(await check(deleted.receipt, deleted)).toMatchObject({ record: { run_id: 'a/b', document: null } })
    await expect(check(deleted.receipt, { ...deleted, document: DOCUMENT })).rejects.toThrow(
      refused(10, 'not about a document'),
    )
  })

  it('may be a plan, with its text, or any other event', async () => {
    const data = { plan_bytes: 2, plan_id: 'p', plan_sha256: sha256('{}'), project: 'a', suite: 'b' }
    const plan = await sole({ ...OPENING, type: 'PlanRegistered', body: bodyWith({ data, stream: 'plan/p' }) })
    expect(await check(plan.receipt, { ...plan, document: DOCUMENT })).toMatchObject({
      document: 'matches',
      record: { run_id: null, plan_id: 'p' },
    })
    const hidden = bodyWith({ data: { ...data, plan_bytes: null }, stream: 'plan/p' })
    const digestOnly = await sole({ ...OPENING, type: 'PlanRegistered', body: hidden })
    expect(await check(digestOnly.receipt, { ...digestOnly, document: DOCUMENT })).toMatchObject({
      document: 'matches',
    })
    const started = bodyWith({ data: {}, stream: 'service/x', request_id: null })
    const other = await sole({ ...OPENING, type: 'Started', body: started })
    expect(await check(other.receipt, other)).toMatchObject({ record: { run_id: null, plan_id: null, document: null } })
  })

  it('is read of origins that are no ASCII', async () => {
    const { receipt, keys } = await sole(OPENING, 'prüfung.example/日志')
    expect(await check(receipt, { keys })).toMatchObject({ checkpoint: { origin: 'prüfung.example/日志' } })
  })
})

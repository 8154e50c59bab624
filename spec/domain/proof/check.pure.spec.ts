import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { checkReceipt } from '../../../domain/proof/check.ts'
import { parseVkey } from '../../../domain/proof/keys.ts'
import { openingText } from '../../../domain/proof/opening.ts'
import { proofText } from '../../../domain/proof/tlog-proof.ts'
import { utf8 } from '../../../domain/proof/bytes.ts'
import { nodeCrypto } from '../../../storage/log/proof-crypto.ts'
import { leafHash } from '../../../storage/log/merkle.ts'
import { COSIGNED_NOTE, LOG_VKEY, OPENING, RECEIPT_SHA256, WITNESS_VKEY } from '../../support/proof/check-value.ts'

const RECEIPT = proofText({
  extra: utf8(openingText(OPENING)),
  index: 1,
  path: [leafHash(Buffer.of()), leafHash(Buffer.of(0x10))],
  checkpoint: COSIGNED_NOTE,
})

describe('the check value', () => {
  it('is written byte by byte', () => {
    expect(Buffer.byteLength(RECEIPT)).toBe(1062)
    expect(createHash('sha256').update(RECEIPT).digest('hex')).toBe(RECEIPT_SHA256)
  })

  it('is accepted', async () => {
    const keys = [await parseVkey(LOG_VKEY, nodeCrypto), await parseVkey(WITNESS_VKEY, nodeCrypto)]
    const checked = await checkReceipt(
      RECEIPT,
      {
        keys,
        policy: null,
        document: { bytes: 2, sha256: createHash('sha256').update('{}').digest('hex') },
      },
      nodeCrypto,
    )
    expect(checked).toMatchObject({
      index: 1,
      document: 'matches',
      checkpoint: {
        origin: 'results.example/log',
        size: 3,
        signed_by: [LOG_VKEY],
        witnesses: [{ name: 'witness.example/w1', at: 1_777_885_300 }],
        unchecked: [],
      },
      record: { run_id: 'a/b', plan_id: null },
    })
  })
})

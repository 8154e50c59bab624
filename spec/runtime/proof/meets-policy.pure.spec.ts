import { expect, it } from 'vitest'
import { parsePolicy } from '../../../domain/proof/policy.ts'
import { meetsPolicy } from '../../../runtime/proof/deliveries.ts'
import { nodeCrypto } from '../../../storage/log/proof-crypto.ts'
import { witnessKey } from '../../support/proof/keys.ts'

it('counts witnesses whose names are one text in different octets as two', async () => {
  const keys = await Promise.all(['a', 'b'].map((name, n) => witnessKey(name, n)))
  const [a, b] = keys.map(({ vkey }) => vkey)
  const text = `witness \xe9 ${a?.text}\nwitness \xc3\xa9 ${b?.text}\ngroup g all \xe9 \xc3\xa9\nquorum g\n`
  const policy = await parsePolicy(Buffer.from(text, 'latin1'), nodeCrypto)
  const cosignatures = keys.map(({ vkey: { name, id } }) => ({ size: 1, key_name: name, key_id: id, line: '', at: 1 }))
  expect(meetsPolicy(policy, cosignatures.slice(0, 1))).toBe(false)
  expect(meetsPolicy(policy, cosignatures)).toBe(true)
})

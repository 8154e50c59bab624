import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { findUnreadable, sealedTargets, UnreadableTarget } from '../../../runtime/webhooks/targets.ts'
import { sendingAppOpener, SECRET_KEY } from '../../support/webhooks/sending-app.ts'

const TARGET = {
  url: 'https://hooks.example/canary',
  format: 'standard',
  secret: 'whsec_canary',
  former: null,
} as const

it('a sealed target is opened with its key, for its webhook, and shows nothing otherwise', () => {
  const targets = sealedTargets(SECRET_KEY)
  const sealed = targets.seal('w1', TARGET)
  expect(targets.open('w1', sealed)).toEqual(TARGET)
  expect(Buffer.from(sealed, 'base64url').toString('latin1')).not.toContain('canary')
  expect(targets.seal('w1', TARGET)).not.toBe(sealed)
  expect(() => targets.open('w2', sealed)).toThrow(UnreadableTarget)
  expect(() => sealedTargets(randomBytes(32)).open('w1', sealed)).toThrow(UnreadableTarget)
  const other = `${sealed.startsWith('A') ? 'B' : 'A'}${sealed.slice(1)}`
  for (const text of ['', 'short', sealed.slice(0, -2), other])
    expect(() => targets.open('w1', text)).toThrow(UnreadableTarget)
})

describe('a start', () => {
  const open = sendingAppOpener()
  it('needs the key that sealed the webhooks, as soon as there is one', async () => {
    const { spec, create } = await open()
    const { reader } = spec.service
    expect(await findUnreadable(reader, null)).toEqual([])
    const { id } = await create({ events: ['run.ingested'] })
    expect(await findUnreadable(reader, sealedTargets(SECRET_KEY))).toEqual([])
    await expect(findUnreadable(reader, null)).rejects.toThrow(
      'SERVICE_SECRET_KEY: must be set, because there are webhooks',
    )
    await expect(findUnreadable(reader, sealedTargets(randomBytes(32)))).rejects.toThrow(
      `SERVICE_SECRET_KEY: is not the key that encrypted the secret of webhook ${id}`,
    )
  })

  it('starts if only some of them cannot be decrypted', async () => {
    const { spec, create } = await open()
    const { id } = await create({ events: ['run.ingested'] })
    await create({ events: ['run.ingested'] })
    await spec.execute(`UPDATE webhook_targets SET sealed = 'damaged' WHERE webhook_id = '${id}'`)
    expect(await findUnreadable(spec.service.reader, sealedTargets(SECRET_KEY))).toEqual([id])
  })
})

import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { newWebhookSecret, signatureHeader } from '../../../domain/webhooks/signature.ts'

// The values of the specification: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const MESSAGE = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1_614_265_330, body: '{"test": 2432232314}' }

describe('a signature', () => {
  it('is that of the specification', () =>
    expect(signatureHeader([SECRET], MESSAGE)).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='))

  it('is made for each secret, separated by a space', () => {
    const other = newWebhookSecret()
    const header = signatureHeader([SECRET, other], MESSAGE)
    expect(header.split(' ')).toEqual([signatureHeader([SECRET], MESSAGE), signatureHeader([other], MESSAGE)])
  })

  it('is accepted by the library of Standard Webhooks, also among others, and not for another body', () => {
    const [first, second] = [newWebhookSecret(), newWebhookSecret()]
    const timestamp = Math.floor(Date.now() / 1000)
    const body = '{"type":"webhook.test","data":{"url":"ü ☃"}}'
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatureHeader([first, second], { id: 'msg_1', timestamp, body }),
    }
    for (const secret of [first, second]) expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body))
    expect(() => new Webhook(newWebhookSecret()).verify(body, headers)).toThrow('No matching signature found')
    expect(() => new Webhook(first).verify(`${body} `, headers)).toThrow('No matching signature found')
  })
})

it('a new secret has 24 random bytes in base64', () => {
  const secrets = Array.from({ length: 20 }, newWebhookSecret)
  expect(new Set(secrets).size).toBe(20)
  for (const secret of secrets) {
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/)
    expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(24)
  }
})

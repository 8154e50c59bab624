import { readFileSync } from 'node:fs'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { certificateFolder } from '../../../support/postgres/certificates.ts'
import { ISSUED_AT, startHostileOidc, type HostileOidc } from '../../../support/sso/oidc/hostile-oidc.ts'
import { jwt } from '../../../support/sso/oidc/jwt.ts'
import { openForSpec, refusal, transactionOf } from '../../../support/sso/oidc/oidc-sign-in.ts'

describe('a provider with https', () => {
  const certificates = certificateFolder()
  const authority = certificates.authority('identity')
  const defaults = getCACertificates('default')
  let running: HostileOidc
  beforeAll(async () => void (running = await startHostileOidc(authority.issue('provider', 'IP:127.0.0.1'))))
  afterAll(async () => {
    setDefaultCACertificates(defaults)
    await running.close()
    certificates.remove()
  })

  const transaction = transactionOf('https')
  const query = new URLSearchParams({ code: 'the-code', state: transaction.state })
  const finish = () =>
    openForSpec(running, {}, { now: () => ISSUED_AT * 1000 }).provider.finish({ ...transaction, query })

  it('is refused if its certificate is not trusted, and the message says why', async () =>
    expect((await refusal(finish())).message).toBe('the provider cannot be reached: UNABLE_TO_VERIFY_LEAF_SIGNATURE'))

  it('signs in if its certificate is trusted', async () => {
    setDefaultCACertificates([...defaults, readFileSync(authority.file, 'utf8')])
    running.behaviour.idToken = (claims) =>
      jwt({ alg: 'RS256', kid: 'first' }, { ...claims, nonce: transaction.nonce }, running.key)
    expect(await finish()).toMatchObject({ subject: 'the-subject' })
    expect(running.issuer).toMatch(/^https:/)
  })
})

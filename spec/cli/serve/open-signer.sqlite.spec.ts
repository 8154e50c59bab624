import { expect, it } from 'vitest'
import { readConfig } from '../../../cli/serve/config.ts'
import { openSigner } from '../../../cli/serve/open-signer.ts'
import { privateKeyText } from '../../../runtime/proof/keys.ts'
import { capturedLog } from '../../support/stores/captured-log.ts'
import { openFreshService } from '../../support/stores/open-fresh.ts'

it('a service with a database and without keys signs nothing, and warns once', async () => {
  const { service, close } = await openFreshService()
  const SERVICE_DATABASE_URL = 'postgres://db.example/ers'
  const SERVICE_CHECKPOINT_KEY = privateKeyText('a/log', new Uint8Array(32))
  const { logger, lines } = capturedLog()
  expect(openSigner(readConfig({ SERVICE_DATABASE_URL }), service, logger)).toBeNull()
  expect(lines).toMatchObject([{ level: 40, msg: expect.stringContaining('SERVICE_CHECKPOINT_KEY_FILE') as string }])

  const some = openSigner(readConfig({ SERVICE_DATABASE_URL, SERVICE_CHECKPOINT_KEY }), service, logger)
  expect(some?.vkeys).toEqual([expect.stringMatching(/^a\/log\+/)])
  expect(openSigner(readConfig({}), service, logger)).not.toBeNull()
  expect(lines).toHaveLength(1)
  await close()
})

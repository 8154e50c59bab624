import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { cacheLocationOf } from '../../../storage/open/cache.ts'
import { storageLocation } from '../../../runtime/storage-location.ts'
import { openSharedCache } from '../../../runtime/cache/open-cache.ts'
import type { OpenService } from '../../../runtime/services.ts'
import { NO_TARGETS } from '../../../runtime/webhooks/addresses.ts'
import { openPartStore } from '../../../runtime/evidence/part-store.ts'
import { PART_LIMITS } from '../servers/part-limits.ts'
import { openDocsSite } from '../../../http/docs-site.ts'
import { buildApp } from '../../../http/app.ts'
import { openPasswords } from '../../../http/identity/passwords.ts'

const SECRET = 'admin-secret'

/**
 * Returns the status and body of each response as one text, by its path below /api/v1. The token is that of an admin
 * by default.
 */
export const fetchResponses = async (
  service: OpenService,
  paths: readonly string[],
  token = SECRET,
): Promise<Record<string, string>> => {
  const config = {
    version: '1.2.3',
    authMode: 'closed',
    tokens: [{ scope: 'admin', secret: SECRET, position: 1 }],
    publicUrl: null,
    cookieSecure: false,
    trustedProxies: [],
    secretKey: null,
    webhookTargets: NO_TARGETS,
    mail: null,
    sweepEmptyReasons: [],
    runMaxAgeDays: null,
    mcp: null,
    sso: null,
    proof: { checkpointAccess: 'admin', receipts: 'uploader' },
    parts: PART_LIMITS,
    cache: { max_entry_bytes: 4_194_304, max_bytes: 1_073_741_824, max_age_days: 30 },
  } as const
  const dataDir = mkdtempSync(join(tmpdir(), 'ers-answers-'))
  const { sharedCache, close } = await openSharedCache({ store: cacheLocationOf({ dataDir }) })
  const app = await buildApp({
    ...service,
    sharedCache,
    localCache: null,
    passwords: openPasswords(),
    web: null,
    docs: openDocsSite(),
    config,
    storage: storageLocation({ dataDir, database: null }),
    logger: pino({ level: 'silent' }),
    retain: () => Promise.reject(new Error('not asked for')),
    signer: null,
    webhooks: null,
    partStore: openPartStore({ ...service, partsFolder: null }, PART_LIMITS),
  })
  try {
    const answers: Record<string, string> = {}
    for (const path of paths) {
      const { statusCode, body } = await app.inject({
        method: 'GET',
        url: `/api/v1${path}`,
        headers: { authorization: `Bearer ${token}` },
      })
      answers[path] = `${statusCode} ${body}`
    }
    return answers
  } finally {
    await app.close()
    await close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

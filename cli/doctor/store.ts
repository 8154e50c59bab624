import { messageOf } from '../../domain/plain/message-of.ts'
import { UserError } from '../../maintenance/user-error.ts'
import { findLogTimes } from '../../queries/log-times.ts'
import { listLogKeys } from '../../queries/log/log-keys.ts'
import { clockBehind } from '../../runtime/background/clock-watch.ts'
import { findUnreadable, sealedTargets } from '../../runtime/webhooks/targets.ts'
import { urlProblem } from '../../runtime/webhooks/addresses.ts'
import { listTargets } from '../../queries/webhooks/webhooks.ts'
import type { Config } from '../serve/config.ts'
import type { NamedStore } from '../store/store-options.ts'
import { openStoreReader } from '../store/store-reader.ts'
import { migrationsOf, wrongRecord } from '../../storage/disk/migrations.ts'
import { listApplied } from '../../storage/postgres/schema.ts'
import { failure, ok, warning, type Finding } from './finding.ts'

/** Checks what a store holds: its schema, its times, its keys and its webhooks. */
export const checkStore = async (store: NamedStore, config: Config, now: number): Promise<readonly Finding[]> => {
  let reader: Awaited<ReturnType<typeof openStoreReader>>
  try {
    reader = await openStoreReader(store)
  } catch (error) {
    return [
      failure(
        'schema',
        messageOf(error),
        'back the store up, then start this version on it once (PostgreSQL: "ers migrate-schema"); "ers verify" finds damage',
      ),
    ]
  }
  try {
    const schema = await schemaFinding(reader)
    // Tables of another version are not read.
    if (schema.status === 'error') return [schema]
    return [
      schema,
      await clockFinding(reader, now),
      await keyFinding(reader, config),
      ...(await webhookFindings(reader, config)),
    ]
  } finally {
    await reader.close()
  }
}

type Reader = Awaited<ReturnType<typeof openStoreReader>>

const schemaFinding = async (reader: Reader): Promise<Finding> => {
  const wrong = wrongRecord(migrationsOf('service', reader.dialect), await reader.read(listApplied))
  if (wrong === null) return ok('schema', 'the store has the schema of this version')
  return failure(
    'schema',
    wrong.message,
    wrong.kind === 'unknown'
      ? 'run the version that wrote it, or a newer one: a store never goes back. A backup of the earlier version can be restored'
      : 'run "ers verify", and restore a backup: the service does not start on it',
  )
}

const clockFinding = async (reader: Reader, now: number): Promise<Finding> => {
  const behind = clockBehind(await reader.read(findLogTimes(now)), now)
  if (behind === null) return ok('clock', 'not before the newest record')
  return failure(
    'clock',
    `it is ${new Date(now).toISOString()} here, and the newest record is of ${new Date(behind.newest_record).toISOString()}`,
    'set the clock, and keep it right with NTP: until then records get the time of the newest one',
  )
}

const keyFinding = async (reader: Reader, { checkpoints, database }: Config): Promise<Finding> => {
  const recorded = await reader.read(listLogKeys)
  const [key] = checkpoints.keys ?? []
  if (key !== undefined) return ok('checkpoint key', `checkpoints are signed as ${key.name}`)
  if (recorded.length > 0)
    return failure(
      'checkpoint key',
      `the key that signs this log is missing${checkpoints.defaultKeyFile === null ? '' : `: there is no ${checkpoints.defaultKeyFile}`}`,
      'restore it from where it is kept (docs/checkpoints.md); the service does not start without it on a state directory',
    )
  return database === null
    ? ok('checkpoint key', 'the first start makes it')
    : warning(
        'checkpoint key',
        'checkpoints are not signed, and runs have no receipts',
        'set SERVICE_CHECKPOINT_KEY_FILE or SERVICE_CHECKPOINT_KEY of all replicas; "ers log keygen" makes a key',
      )
}

const webhookFindings = async (
  reader: Reader,
  { secretKey, webhookTargets, publicUrl }: Config,
): Promise<readonly Finding[]> => {
  const targets = secretKey && sealedTargets(secretKey)
  let unreadable: readonly string[]
  try {
    unreadable = await findUnreadable(reader, targets)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return [failure('webhooks', error.message, 'set the key that was used before')]
  }
  const stored = await reader.read(listTargets)
  if (stored.length === 0) return [ok('webhooks', 'there are none')]
  const findings = unreadable.map((id) =>
    warning('webhooks', `the webhook ${id} cannot be decrypted, so it sends nothing`, 'delete it and create a new one'),
  )
  for (const { webhook_id, sealed } of stored) {
    if (!targets || unreadable.includes(webhook_id)) continue
    const problem = urlProblem(targets.open(webhook_id, sealed).url, webhookTargets)
    // The problem does not quote the address, which may contain a secret.
    if (problem !== null)
      findings.push(
        warning(
          'webhooks',
          `the webhook ${webhook_id} cannot be sent: ${problem}`,
          'change SERVICE_WEBHOOK_ALLOW, or the webhook',
        ),
      )
  }
  if (publicUrl === null) findings.push(warning('webhooks', 'messages have no links', 'set SERVICE_PUBLIC_URL'))
  return findings.length > 0 ? findings : [ok('webhooks', `${stored.length} can be sent`)]
}

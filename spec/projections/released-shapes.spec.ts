import { expect, it } from 'vitest'
import { storedRun } from '../../commands/run/stored-run.ts'
import { prepareRun } from '../../domain/run/prepare.ts'
import { project } from '../../projections/index.ts'
import { RELEASED } from '../commands/released-shapes.ts'
import { theExample } from '../support/documents/documents.ts'
import { openStorage } from '../support/stores/open-storage.ts'
import { member } from '../support/access/viewers.ts'

const document = { ...theExample(), project: 'chat', suite: 'smoke' }
const attached = storedRun(prepareRun(Buffer.from(JSON.stringify(document))), { withVectors: false })
const SHAPES = Object.entries(RELEASED).flatMap(([type, shapes]) => shapes.map((data) => [type, data] as const))

it('every released shape of an event is projected', async () => {
  const { run, sql, close } = await openStorage()
  let seq = 0
  const apply = (type: string, data: unknown) =>
    run(
      ...project({
        type,
        data,
        ...(type === 'RunIngested' ? { attached } : {}),
        stream: 's',
        seq: ++seq,
        version: 1,
        recorded_at: 1000 + seq,
        actor: member.actor,
        request_id: null,
      }),
    )
  for (const [type, data] of SHAPES) {
    // The account of the event exists before it.
    if (type !== 'UserCreated') await apply('UserCreated', RELEASED.UserCreated[0])
    await apply(type, data)
    expect({ type, users: await sql.column('SELECT count(*) FROM users') }).toEqual({
      type,
      users: [type === 'UserDeleted' ? 0 : 1],
    })
    await apply('UserDeleted', RELEASED.UserDeleted[0])
    if (type === 'RunIngested') await apply('RunDeleted', RELEASED.RunDeleted[0])
  }
  await close()
})

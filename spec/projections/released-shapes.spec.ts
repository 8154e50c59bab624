import { expect, it } from 'vitest'
import { project } from '../../projections/index.ts'
import { RELEASED } from '../commands/released-shapes.ts'
import { openStorage } from '../support/open-storage.ts'
import { member } from '../support/viewers.ts'

const SHAPES = Object.entries(RELEASED).flatMap(([type, shapes]) => shapes.map((data) => [type, data] as const))

it('every shape of an event that was ever released is projected', async () => {
  for (const [type, data] of SHAPES) {
    const { run, sql, close } = await openStorage()
    const at = (seq: number) => ({ seq, version: 1, recorded_at: 1000 + seq, actor: member.actor, request_id: null, stream: 's' })
    // What the event is about is there before.
    const before = type === 'UserCreated' ? [] : [{ type: 'UserCreated', data: RELEASED.UserCreated[0] }]
    for (const [i, each] of [...before, { type, data }].entries()) await run(...project({ ...each, ...at(i + 1) }))
    expect({ type, users: await sql.column('SELECT count(*) FROM users') }).toEqual({ type, users: [type === 'UserDeleted' ? 0 : 1] })
    await close()
  }
})

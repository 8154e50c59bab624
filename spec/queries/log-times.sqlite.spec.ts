import { expect, it } from 'vitest'
import { findLogTimes } from '../../queries/log-times.ts'
import { SYSTEM } from '../../queries/access/viewer.ts'
import { openFreshService } from '../support/stores/open-fresh.ts'
import { appOpener } from '../support/servers/opening-apps.ts'

const open = appOpener()

it('a query finds the log times around an instant, for a log of any length', async () => {
  let at = 0
  const { service } = await open({ now: () => at })
  // The start is recorded first, at 0. Several records may have the same time.
  const times = [0, ...Array.from({ length: 40 }, (_, i) => 100 * (Math.floor(i / 3) + 1))]
  for (const [i, time] of times.slice(1).entries()) {
    at = time
    await service.commit.restrictSet(SYSTEM, { project: `p${i}`, suite: null })
  }
  const newest = times.at(-1) ?? 0
  for (const around of [-1, 0, 1, 99, 100, 101, 150, 700, newest - 1, newest, newest + 1, 1e15]) {
    const last_before = times.filter((time) => time <= around).at(-1) ?? null
    const first_after = times.find((time) => time > around) ?? null
    expect({ around, ...(await service.reader.read(findLogTimes(around))) }).toEqual({
      around,
      newest,
      last_before,
      first_after,
    })
  }
})

it('an empty log has no times', async () => {
  const { service, close } = await openFreshService()
  expect(await service.reader.read(findLogTimes(0))).toEqual({ newest: null, last_before: null, first_after: null })
  await close()
})

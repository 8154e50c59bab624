import { expect, it } from 'vitest'
import { STATES } from '../../support/every-page/states.ts'
import { router } from '../../../webapp/router.ts'

const states = Object.values(STATES).flat()

it('the specs of every page visit each route', () => {
  const routes = router.getRoutes().flatMap(({ name, redirect }) => (name && !redirect ? [String(name)] : []))
  const visited = new Set(states.map(({ route }) => route))
  expect(routes.length).toBeGreaterThan(20)
  expect(routes.filter((name) => !visited.has(name))).toEqual([])
})

it.each(states)('$name is a state of its route', ({ route, path }) =>
  expect(router.resolve(path({ session: '', users: { 'ci-bot': '1' } })).name).toBe(route),
)

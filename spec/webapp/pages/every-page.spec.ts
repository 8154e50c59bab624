import { expect, it } from 'vitest'
import { WEB_PAGES } from '../../../bench/web-pages.ts'
import { MEASURED_PAGES } from '../../support/every-page/measured-pages.ts'
import { STATES } from '../../support/every-page/states.ts'
import { router } from '../../../webapp/router.ts'

const states = Object.values(STATES).flat()

// What is loaded apart has specs of its own.
const routes = router
  .getRoutes()
  .flatMap(({ name, redirect, meta }) => (name && !redirect && !meta.apart ? [String(name)] : []))
/** Shown only by a server without accounts, which has no other page. */
const ONLY_EMPTY = 'setup'

it('the specs of every page visit each route', () => {
  const visited = new Set(states.map(({ route }) => route))
  expect(routes.length).toBeGreaterThan(20)
  expect(routes.filter((name) => !visited.has(name))).toEqual([])
})

it.each(states)('$name is a state of its route', ({ route, path }) =>
  expect(
    router.resolve(
      path({
        ...{ session: '', users: { 'ci-bot': '1' }, links: { invite: '/invite', reset: '/reset' } },
        queues: { open: '1', closed: '2' },
      }),
    ).name,
  ).toBe(route),
)

it.each([
  ['the bench of the web app', WEB_PAGES.map(({ path }) => path)],
  ['the spec of the budgets', MEASURED_PAGES],
])('%s opens each route', (_name, paths) => {
  const opened = new Set(paths.map((path) => router.resolve(path).name))
  expect(routes.filter((name) => !opened.has(name))).toEqual([ONLY_EMPTY])
})

import { expect, it } from 'vitest'
import { HELP } from '../../../webapp/frame/help.ts'
import { router } from '../../../webapp/router.ts'

it('every page with the menu has a page of the documentation', () => {
  const pages = router.getRoutes().filter(({ name, meta }) => name !== undefined && meta.bare !== true)
  expect(pages.length).toBeGreaterThan(20)
  const names = pages.map(({ name }) => String(name)).filter((name) => name !== 'not-found')
  expect(Object.keys(HELP).toSorted()).toEqual(names.toSorted())
})

import { expect, it } from 'vitest'
import { noStoreIn } from '../../maintenance/no-store.ts'

it('says that a folder has no store, or that this user may not look', () => {
  expect(noStoreIn('/no/such/folder')).toMatch(
    /^there is no service\.db in \/no\/such\/folder\. Name the state directory/,
  )
  const refused = (): never => {
    throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' })
  }
  expect(noStoreIn('/data', refused)).toBe('/data cannot be read (EACCES): run the command as the user of the service')
})

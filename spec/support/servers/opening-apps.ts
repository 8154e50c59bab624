import { afterEach } from 'vitest'
import { createPeople } from '../access/accounts.ts'
import { openApp, type SpecApp } from './app.ts'

type Options = Parameters<typeof openApp>[0]

/** Opens apps that are closed when the spec that opened them ends. */
export const appOpener = (): ((options?: Options) => Promise<SpecApp>) => {
  const opened: SpecApp[] = []
  afterEach(() => Promise.all(opened.splice(0).map((spec) => spec.close())))
  return async (options = {}) => {
    const spec = await openApp(options)
    opened.push(spec)
    return spec
  }
}

/** Opens apps in the same way, each with its people; `root` is their admin. */
export const appOpenerWithAccounts = () => {
  const open = appOpener()
  return async (options: Options = {}) => {
    const spec = await open(options)
    return { spec, ...(await createPeople(spec)) }
  }
}

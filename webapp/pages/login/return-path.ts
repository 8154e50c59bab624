import { returnTo } from '../../../domain/sso/return-to.ts'
import { visibleLine } from '../../text/visible-text.ts'
import { namesIn, pageName, splitAddress } from '../../views/view-address.ts'

/**
 * The path that a `return_to` of the address names, if it is safe to follow: the server applies the same rule after a
 * sign-in through an identity provider. Any other value is replaced by the first page.
 */
export const returnPath = (requestedPath: unknown): string => {
  const path = returnTo(typeof requestedPath === 'string' ? requestedPath : null)
  return /^\/(?:login|setup|invite|reset)(?:[?#]|$)/.test(path) ? '/' : path
}

/** The words for the page of a safe path: the names in it, else its own name, as far as it has one. */
export const placeWords = (path: string): string => {
  const { path: page } = splitAddress(path)
  const names = namesIn(page).map(visibleLine)
  return names.length > 0 ? names.join(' / ') : (pageName(page) ?? visibleLine(path))
}

/** The address at which a sign-in through a provider starts; `to` is a safe path. */
export const startAddress = (login_url: string, to: string): string =>
  to === '/' ? login_url : `${login_url}?${new URLSearchParams({ return_to: to }).toString()}`

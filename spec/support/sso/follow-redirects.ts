/** The cookies of a browser, by name, for one host. */
export type CookieJar = Map<string, string>

const keep = (jar: CookieJar, response: Response): void => {
  for (const line of response.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=;]+)=([^;]*)/.exec(line) ?? []
    if (value === '' || /;\s*max-age=0/i.test(line) || /expires=Thu, 01 Jan 1970/i.test(line)) jar.delete(name)
    else jar.set(name, value)
  }
}

/** Sends one request with the cookies of the jar, and keeps the cookies of the response. */
export const open = async (url: string, jar: CookieJar, init: RequestInit = {}): Promise<Response> => {
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const response = await fetch(url, { ...init, redirect: 'manual', headers: { cookie } })
  keep(jar, response)
  return response
}

/**
 * Opens a URL like a browser and follows redirects until one leads to a URL that starts with `end`. Returns that URL,
 * which was not requested. Throws if a response does not redirect.
 */
export const followUntil = async (start: string, end: string, jar: CookieJar = new Map()): Promise<URL> => {
  let url = start
  while (!url.startsWith(end)) {
    const response = await open(url, jar)
    const location = response.headers.get('location')
    if (location === null) throw new Error(`${url} does not redirect: ${response.status} ${await response.text()}`)
    await response.body?.cancel()
    url = new URL(location, url).href
  }
  return new URL(url)
}

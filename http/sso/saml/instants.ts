const DATE_TIME = /^(\d{4}-\d\d-(\d\d))T\d\d:\d\d:\d\d(?:\.\d{1,20})?(?:Z|[+-]\d\d:\d\d)$/

/**
 * Reads an instant of SAML (xs:dateTime; SAML 2.0 Core, 1.3.3) in epoch milliseconds; parts of a millisecond are cut off.
 * Null unless it has a time zone, because a local time would depend on the server.
 */
export const parseSamlInstant = (text: string): number | null => {
  const [, date = '', day = ''] = DATE_TIME.exec(text) ?? []
  const ms = date === '' ? Number.NaN : Date.parse(text)
  if (Number.isNaN(ms)) return null
  // Date.parse accepts 30 February and returns a day of March.
  return new Date(`${date}T00:00:00Z`).getUTCDate() === Number(day) ? ms : null
}

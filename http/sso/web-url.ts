/** Whether a text is an absolute http or https URL in ASCII, without credentials, fragment and white space. */
export const isWebUrl = (text: string): boolean => {
  // The parser would remove white space, accept a missing slash, and pass over an empty fragment.
  const url = /^https?:\/\/[!-~]+$/i.test(text) && !text.includes('#') && URL.canParse(text) ? new URL(text) : null
  return url !== null && url.username === '' && url.password === ''
}

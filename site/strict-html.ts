import { BASE } from './pages.ts'

/** The script that the page runs before it is shown. */
export const FIRST_PAINT = 'first-paint.js'

/**
 * A page without inline scripts and styles, which the content policy of the service forbids. The scripts are those that
 * choose the theme; a file does what they do. The styles are set by the scripts of the page, or are in the style sheet.
 * Throws if a page has others.
 */
export const strictHtml = (html: string): string => {
  const strict = html
    .replace(/<script id="check-dark-mode">[^]*?<\/script>/, `<script src="${BASE}${FIRST_PAINT}"></script>`)
    .replace(/<script id="check-mac-os">[^]*?<\/script>/, '')
    .replaceAll(/ style="(?:--vp-vh:0px|position:relative);"/g, '')
  const inline = /<script(?![^>]* src=)[^>]*>|<style[\s>]|\sstyle="[^"]*"|\son[a-z]+="/.exec(strict)
  if (inline) throw new Error(`the content policy forbids ${inline[0]}`)
  return strict
}

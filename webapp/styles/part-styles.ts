import type { Plugin } from 'vite'

/** Puts the styles of components into the layer `parts`, whose place `app.css` names. */
export const partStyles: Plugin = {
  name: 'part-styles',
  transform: (code, id) => (id.includes('?vue&type=style') ? `@layer parts{${code}}` : null),
}

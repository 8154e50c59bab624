import { h, type FunctionalComponent, type VNodeChild } from 'vue'
import VisibleText from '../../components/text/VisibleText.vue'
import type { MarkdownNode } from '../../text/markdown/nodes.ts'

// Markdown as elements. Raw HTML in it is text, a link is its words with its address, and a picture is its description: nothing in a
// case can be pressed or loads anything.

/** About the height of code, for a page that lays it out only where it is seen. */
const heightOf = (code: string) => ({ '--height': `${Math.round(code.split('\n').length * LINE_PX)}px` })
const LINE_PX = 19.2

const textOf = (text: string): VNodeChild => h(VisibleText, { text })
const all = (nodes: readonly MarkdownNode[]): VNodeChild[] => nodes.map(drawn)

const drawn = (node: MarkdownNode): VNodeChild => {
  switch (node.kind) {
    case 'text':
      return textOf(node.text)
    case 'inline-code':
      return h('code', { dir: 'auto' }, [textOf(node.text)])
    case 'break':
      return h('br')
    case 'rule':
      return h('hr')
    case 'code':
      return h('pre', { dir: 'ltr', tabindex: 0, style: heightOf(node.text) }, [h('code', [textOf(node.text)])])
    case 'math':
      return h('code', [textOf(node.formula)])
    case 'image':
      return h('span', { class: 'm3' }, [textOf(`[picture: ${node.alt || node.address}]`)])
    case 'link':
      return h('span', [...all(node.children), h('span', { class: 'm3 xs' }, [' (', textOf(node.address), ')'])])
    case 'heading':
      return h('p', { class: 'title', dir: 'auto' }, all(node.children))
    case 'element': {
      if (node.tag === 'table')
        return h('div', { class: 'scroll-auto', tabindex: 0, role: 'group', 'aria-label': 'Table' }, [
          h('table', all(node.children)),
        ])
      const isText = ['p', 'th', 'td', 'blockquote'].includes(node.tag)
      return h(
        node.tag,
        {
          value: node.number ?? undefined,
          dir: isText ? 'auto' : undefined,
          scope: node.tag === 'th' ? 'col' : undefined,
        },
        all(node.children),
      )
    }
  }
}

export const MarkdownNodes: FunctionalComponent<{ nodes: readonly MarkdownNode[] }> = ({ nodes }) => all(nodes)
MarkdownNodes.props = ['nodes']

// For tools that read TypeScript alone; vue-tsc looks into the components.
declare module '*.vue' {
  import type { DefineComponent } from 'vue'
  const component: DefineComponent
  export default component
}

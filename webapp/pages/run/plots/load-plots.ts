import { loadPart } from '../../../composables/lazy/use-part.ts'
import { areChartsOpen, loadPanels } from './charts.ts'

/** The line above the charts, with the charts if they are open, so that what follows them does not move. */
export const loadPlots = async () => {
  const [line] = await Promise.all([import('./RunPlots.vue'), areChartsOpen.value && loadPart(loadPanels)])
  return line
}

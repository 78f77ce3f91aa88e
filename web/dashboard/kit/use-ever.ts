import { useRef } from 'preact/hooks';

/** Whether it has ever been so while the component is drawn, such as that a fold has a text: emptied, it stays open. */
export function useEver(isSo: boolean): boolean {
  const was = useRef(isSo);
  was.current ||= isSo;
  return was.current;
}

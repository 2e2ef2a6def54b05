// The model's thinking; folded unless thinking is switched on.

import type { MessageBlock } from '../../../data/api/types'
import { useView } from '../view'
import { Fold } from './Fold'

interface Props {
  block: MessageBlock
  fold: string
  cid: string
  id: string
}

export function Thinking({ block, fold, cid, id }: Props) {
  const { thinking } = useView()
  const named = { ...block, name: 'Thinking', open: thinking }
  return <Fold block={named} fold={fold} cid={cid} id={id} icon="thinking" />
}

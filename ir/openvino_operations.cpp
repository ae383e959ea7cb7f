#include <string>

#include "ir/extension.hpp"

namespace onnx2ir::ir {
namespace {

/// The operation sets of OpenVINO 2026.4: each type with the numbers of the sets that define it anew, as in
/// ir/ops/operations.txt. tests/cli/test_read_ir.py compares them with the headers of OpenVINO.
constexpr std::string_view kOperations =
    " Abs-1 Acos-1 Acosh-4 AdaptiveAvgPool-8 AdaptiveMaxPool-8 Add-1 Asin-1 Asinh-4 Assign-3 Assign-6"
    " Atan-1 Atanh-4 AvgPool-1 AvgPool-14 AvgPool-16 BGRtoNV12-17 BatchNormInference-1"
    " BatchNormInference-5 BatchToSpace-2 BinaryConvolution-1 BitwiseAnd-13 BitwiseLeftShift-15"
    " BitwiseNot-13 BitwiseOr-13 BitwiseRightShift-15 BitwiseXor-13 Broadcast-1 Broadcast-3 Bucketize-3"
    " CTCGreedyDecoder-1 CTCGreedyDecoderSeqLen-6 CTCLoss-4 Ceiling-1 Clamp-1 Col2Im-15 Concat-1 Const-1"
    " Convert-1 ConvertLike-1 ConvertPromoteTypes-14 Convolution-1 ConvolutionBackpropData-1 Cos-1"
    " Cosh-1 CumSum-3 DFT-7 DeformableConvolution-1 DeformableConvolution-8 DeformablePSROIPooling-1"
    " DepthToSpace-1 DetectionOutput-1 DetectionOutput-8 Divide-1 Einsum-7 Elu-1 EmbeddingBagOffsets-15"
    " EmbeddingBagOffsetsSum-3 EmbeddingBagPacked-15 EmbeddingBagPackedSum-3 EmbeddingSegmentsSum-3"
    " Equal-1 Erf-1 ErfInv-17 Exp-1 ExperimentalDetectronDetectionOutput-6"
    " ExperimentalDetectronGenerateProposalsSingleImage-6 ExperimentalDetectronPriorGridGenerator-6"
    " ExperimentalDetectronROIFeatureExtractor-6 ExperimentalDetectronTopKROIs-6 ExtractImagePatches-3"
    " Eye-9 FakeConvert-13 FakeQuantize-1 Floor-1 FloorMod-1 GRN-1 GRUCell-3 GRUSequence-5 Gather-1"
    " Gather-7 Gather-8 GatherElements-6 GatherND-5 GatherND-8 GatherTree-1 Gelu-2 Gelu-7"
    " GenerateProposals-9 Greater-1 GreaterEqual-1 GridSample-9 GroupConvolution-1"
    " GroupConvolutionBackpropData-1 GroupNormalization-12 GroupedMatMul-17 HSigmoid-5 HSwish-4"
    " HardSigmoid-1 I420toBGR-8 I420toRGB-8 IDFT-7 IRDFT-9 ISTFT-16 Identity-16 If-8 Interpolate-1"
    " Interpolate-11 Interpolate-4 Inverse-14 IsFinite-10 IsInf-10 IsNaN-10 LRN-1 LSTMCell-1 LSTMCell-4"
    " LSTMSequence-5 Less-1 LessEqual-1 Log-1 LogSoftmax-5 LogicalAnd-1 LogicalNot-1 LogicalOr-1"
    " LogicalXor-1 LogicalXor-2 Loop-5 MVN-2 MVN-6 MatMul-1 MatrixNms-8 MaxPool-1 MaxPool-14 MaxPool-8"
    " Maximum-1 Minimum-1 Mish-4 Mod-1 MulticlassNms-8 MulticlassNms-9 Multinomial-13 Multiply-1"
    " NMSRotated-13 NV12toBGR-8 NV12toRGB-8 Negative-1 NonMaxSuppression-1 NonMaxSuppression-3"
    " NonMaxSuppression-4 NonMaxSuppression-5 NonMaxSuppression-9 NonZero-3 NormalizeL2-1 NotEqual-1"
    " OneHot-1 OneHot-16 PReLU-1 PSROIPooling-1 Pad-1 Pad-12 Parameter-1 Power-1 PriorBox-1 PriorBox-8"
    " PriorBoxClustered-1 Proposal-1 Proposal-4 RDFT-9 RGBtoNV12-17 RNNCell-1 RNNSequence-5 ROIAlign-3"
    " ROIAlign-9 ROIAlignRotated-15 ROIPooling-2 RandomUniform-8 Range-1 Range-4 ReLU-1 ReadValue-3"
    " ReadValue-6 ReduceL1-4 ReduceL2-4 ReduceLogicalAnd-1 ReduceLogicalOr-1 ReduceMax-1 ReduceMean-1"
    " ReduceMin-1 ReduceProd-1 ReduceSum-1 RegionYolo-1 ReorgYolo-2 Reshape-1 Result-1 Reverse-1"
    " ReverseSequence-1 Roll-7 Round-5 STFT-15 ScaledDotProductAttention-13 ScatterElementsUpdate-12"
    " ScatterElementsUpdate-3 ScatterNDUpdate-15 ScatterNDUpdate-4 ScatterUpdate-3 SearchSorted-15"
    " SegmentMax-16 Select-1 Selu-1 ShapeOf-1 ShapeOf-3 ShuffleChannels-1 Sigmoid-1 Sign-1 Sin-1 Sinh-1"
    " Slice-8 SliceScatter-15 SoftMax-1 SoftMax-8 SoftPlus-4 SoftSign-9 SpaceToBatch-2 SpaceToDepth-1"
    " SparseFillEmptyRows-16 Split-1 Sqrt-1 SquaredDifference-1 Squeeze-1 Squeeze-15 StridedSlice-1"
    " StringTensorPack-15 StringTensorUnpack-15 Subtract-1 Swish-4 Tan-1 Tanh-1 TensorIterator-1 Tile-1"
    " TopK-1 TopK-11 TopK-3 Transpose-1 Unique-10 Unsqueeze-1 VariadicSplit-1 Xor-1 ";

}  // namespace

bool is_openvino_operation(std::string_view type, std::string_view opset) {
  constexpr std::string_view kPrefix = "opset";
  if (!opset.starts_with(kPrefix)) return false;
  const std::string name = std::string(type) + '-' + std::string(opset.substr(kPrefix.size()));
  return name.find(' ') == std::string::npos && kOperations.find(' ' + name + ' ') != std::string_view::npos;
}

}  // namespace onnx2ir::ir

// The families of translators; each file in the folders of this directory defines one.
#pragma once

#include <string_view>
#include <vector>

#include "frontend/graph/translator_table.hpp"

namespace onnx2ir::frontend {

std::vector<TranslatorRow> if_translators();
std::vector<TranslatorRow> loop_translators();
std::vector<TranslatorRow> scan_translators();
std::vector<TranslatorRow> sequence_translators();
std::vector<TranslatorRow> optional_translators();
std::vector<TranslatorRow> constant_translators();
std::vector<TranslatorRow> convolution_translators();
std::vector<TranslatorRow> pooling_translators();
std::vector<TranslatorRow> resize_translators();
std::vector<TranslatorRow> detection_translators();
std::vector<TranslatorRow> grid_translators();
std::vector<TranslatorRow> recurrent_translators();
std::vector<TranslatorRow> pad_translators();
std::vector<TranslatorRow> reshaping_translators();
std::vector<TranslatorRow> slicing_translators();
std::vector<TranslatorRow> elementwise_translators();
std::vector<TranslatorRow> unary_translators();
std::vector<TranslatorRow> cast_translators();
std::vector<TranslatorRow> bit_cast_translators();
std::vector<TranslatorRow> activation_translators();
std::vector<TranslatorRow> softmax_translators();
std::vector<TranslatorRow> matrix_translators();
std::vector<TranslatorRow> attention_translators();
std::vector<TranslatorRow> rotary_embedding_translators();
std::vector<TranslatorRow> signal_translators();
std::vector<TranslatorRow> mel_weight_translators();
std::vector<TranslatorRow> quantization_translators();
std::vector<TranslatorRow> reduction_translators();
std::vector<TranslatorRow> search_translators();
std::vector<TranslatorRow> normalization_translators();
std::vector<TranslatorRow> random_translators();
std::vector<TranslatorRow> training_translators();
std::vector<TranslatorRow> unique_translators();
std::vector<TranslatorRow> ngram_translators();
std::vector<TranslatorRow> string_translators();
std::vector<TranslatorRow> string_split_translators();
std::vector<TranslatorRow> regex_match_translators();
std::vector<TranslatorRow> tree_ensemble_translators();
std::vector<TranslatorRow> linear_model_translators();
std::vector<TranslatorRow> preprocessing_translators();
std::vector<TranslatorRow> encoder_translators();
std::vector<TranslatorRow> microsoft_transformer_translators();
std::vector<TranslatorRow> microsoft_attention_translators();
std::vector<TranslatorRow> microsoft_multi_head_attention_translators();
std::vector<TranslatorRow> microsoft_group_query_attention_translators();
std::vector<TranslatorRow> microsoft_rotation_translators();
std::vector<TranslatorRow> microsoft_product_translators();
std::vector<TranslatorRow> microsoft_tokenizer_translators();
std::vector<TranslatorRow> microsoft_packed_weight_translators();
std::vector<TranslatorRow> microsoft_quantized_lstm_translators();
std::vector<TranslatorRow> microsoft_quantized_product_translators();
std::vector<TranslatorRow> microsoft_image_translators();
std::vector<TranslatorRow> experimental_translators();
std::vector<TranslatorRow> microsoft_tensor_translators();
std::vector<TranslatorRow> microsoft_ngram_translators();
std::vector<TranslatorRow> microsoft_speculative_decoding_translators();
std::vector<TranslatorRow> microsoft_hash_translators();
std::vector<TranslatorRow> microsoft_greedy_search_translators();
std::vector<TranslatorRow> microsoft_beam_search_translators();
std::vector<TranslatorRow> microsoft_gate_translators();
std::vector<TranslatorRow> microsoft_expert_translators();
std::vector<TranslatorRow> microsoft_quantized_translators();
std::vector<TranslatorRow> openvino_layer_translators();
std::vector<TranslatorRow> openvino_detection_translators();
std::vector<TranslatorRow> aten_translators();
std::vector<TranslatorRow> mmdeploy_translators();

inline constexpr std::string_view kMachineLearning = "ai.onnx.ml";
inline constexpr std::string_view kMicrosoft = "com.microsoft";

inline constexpr TranslatorFamily kTranslatorFamilies[] = {
    {if_translators},
    {loop_translators},
    {scan_translators},
    {sequence_translators},
    {optional_translators},
    {constant_translators},
    {convolution_translators},
    {pooling_translators},
    {resize_translators},
    {detection_translators},
    {grid_translators},
    {recurrent_translators},
    {pad_translators},
    {reshaping_translators},
    {slicing_translators},
    {elementwise_translators},
    {unary_translators},
    {cast_translators},
    {bit_cast_translators},
    {activation_translators},
    {softmax_translators},
    {quantization_translators},
    {attention_translators},
    {rotary_embedding_translators},
    {signal_translators},
    {mel_weight_translators},
    {matrix_translators},
    {reduction_translators},
    {search_translators},
    {normalization_translators},
    {random_translators},
    {training_translators, "ai.onnx.preview.training"},
    {unique_translators},
    {string_translators},
    {string_split_translators},
    {regex_match_translators},
    {ngram_translators},
    {tree_ensemble_translators, kMachineLearning},
    {linear_model_translators, kMachineLearning},
    {preprocessing_translators, kMachineLearning},
    {encoder_translators, kMachineLearning},
    {microsoft_transformer_translators, kMicrosoft},
    {microsoft_attention_translators, kMicrosoft},
    {microsoft_multi_head_attention_translators, kMicrosoft},
    {microsoft_group_query_attention_translators, kMicrosoft},
    {microsoft_rotation_translators, kMicrosoft},
    {microsoft_product_translators, kMicrosoft},
    {microsoft_tokenizer_translators, kMicrosoft},
    {microsoft_packed_weight_translators, kMicrosoft},
    {microsoft_quantized_lstm_translators, kMicrosoft},
    {microsoft_quantized_product_translators, kMicrosoft},
    {microsoft_image_translators, kMicrosoft},
    {experimental_translators},
    {microsoft_tensor_translators, kMicrosoft},
    {microsoft_gate_translators, kMicrosoft},
    {microsoft_ngram_translators, kMicrosoft},
    {microsoft_speculative_decoding_translators, kMicrosoft},
    {microsoft_hash_translators, kMicrosoft},
    {microsoft_greedy_search_translators, kMicrosoft},
    {microsoft_beam_search_translators, kMicrosoft},
    {microsoft_expert_translators, kMicrosoft},
    {microsoft_quantized_translators, kMicrosoft},
    {openvino_layer_translators},
    {openvino_detection_translators},
    {aten_translators},
    {mmdeploy_translators, "mmdeploy"},
};

/// The rows of all families.
const TranslatorTable& translator_table();

}  // namespace onnx2ir::frontend

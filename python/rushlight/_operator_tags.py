"""Tags of operators: what is known of all overloads of a name, or of one overload, beyond what names and schemas say."""

import enum


class Tag(enum.Enum):
    """What an operator is to programs that transform programs."""

    core = 0
    cudagraph_unsafe = 1
    data_dependent_output = 2
    dynamic_output_shape = 3
    flexible_layout = 4
    generated = 5
    inplace = 6
    inplace_view = 7
    maybe_aliasing_or_mutating = 8
    needs_contiguous_strides = 9
    needs_exact_strides = 10
    needs_fixed_stride_order = 11
    nondeterministic_bitwise = 12
    nondeterministic_seeded = 13
    out = 14
    out_variant = 15
    pointwise = 16
    pt2_compliant_tag = 17
    reduction = 18
    view_copy = 19

    def __int__(self):
        return self.value


# The names, or overloads, that have a tag.
_NAMED = {
    "core": """
        _local_scalar_dense alias as_strided diagonal expand permute resize_ split_with_sizes sym_is_contiguous sym_numel
        sym_storage_offset unsqueeze _adaptive_avg_pool2d.default _adaptive_avg_pool2d_backward.default _adaptive_avg_pool3d.default
        _cdist_forward.default _embedding_bag.default _fft_c2r.default _fft_r2c.default _log_softmax.default
        _native_batch_norm_legit.default _native_batch_norm_legit.no_stats _native_batch_norm_legit_no_training.default
        _pdist_forward.default _softmax.default _to_copy.default abs.default acos.default acosh.default adaptive_avg_pool1d.default
        add.Tensor add.Scalar addmm.default amax.default amin.default any.default any.dim any.dims arange.start_step argmax.default
        argmin.default asin.default asinh.default atan.default atan2.default atan2.out atanh.default avg_pool1d.default
        avg_pool2d.default avg_pool2d_backward.default avg_pool3d.default bitwise_and.Tensor bitwise_and.Scalar bitwise_not.default
        bitwise_or.Tensor bitwise_or.Scalar bitwise_xor.Tensor bitwise_xor.Scalar bmm.default cat.default ceil.default clamp.default
        clamp.Tensor clone.default col2im.default constant_pad_nd.default convolution.default convolution_backward.default
        copy.default cos.default cosh.default cumsum.default div.Tensor div.Scalar div.Tensor_mode div.Scalar_mode elu.default
        embedding.default embedding_dense_backward.default empty.memory_format empty_strided.default eq.Tensor eq.Scalar erf.default
        exp.default expm1.default fill.Scalar flip.default floor.default fmod.Tensor fmod.Scalar full.default full_like.default
        gather.default ge.Tensor ge.Scalar gelu.default grid_sampler_2d.default gt.Tensor gt.Scalar hardtanh.default index.Tensor
        index_put.default index_select.default isinf.default isnan.default le.Tensor le.Scalar leaky_relu.default log.default
        log10.default log1p.default log2.default logical_and.default logical_not.default logical_or.default logical_xor.default
        lt.Tensor lt.Scalar masked_scatter.default max.dim max_pool2d_with_indices.default max_pool2d_with_indices_backward.default
        max_pool3d_with_indices.default maximum.default mean.default mean.dim min.dim minimum.default mm.default mul.Tensor
        mul.Scalar native_dropout.default native_group_norm.default native_group_norm_backward.default native_layer_norm.default
        native_layer_norm_backward.default ne.Tensor ne.Scalar neg.default nonzero.default pow.Tensor_Tensor pow.Tensor_Scalar
        pow.Scalar prod.default prod.dim_int rand.default randn.default randperm.default reciprocal.default reflection_pad1d.default
        reflection_pad2d.default reflection_pad3d.default relu.default remainder.Tensor remainder.Scalar repeat.default
        replication_pad2d.default replication_pad3d.default round.default rsqrt.default scalar_tensor.default scatter.value
        scatter.src scatter_add.default scatter_reduce.two select.int select_scatter.default sigmoid.default sign.default
        sin.default sinh.default slice.Tensor slice_scatter.default sort.default sqrt.default squeeze.dim squeeze.dims sub.Tensor
        sub.Scalar sum.dim_IntList sym_size.int sym_stride.int tan.default tanh.default topk.default trunc.default
        upsample_bilinear2d.vec upsample_nearest2d.vec var.dim var.correction view.default where.self
    """,
    "data_dependent_output": """
        _local_scalar_dense allclose equal item
    """,
    "dynamic_output_shape": """
        argwhere linalg_lstsq masked_select nonzero one_hot _ctc_loss.default _ctc_loss.Tensor _unique.default _unique2.default
        bincount.default index.Tensor repeat_interleave.Tensor unique_consecutive.default unique_dim.default
        unique_dim_consecutive.default
    """,
    "generated": """
        _amp_foreach_non_finite_check_and_unscale _amp_update_scale _batch_norm_with_update_functional _coalesced _foreach_zero
        _fused_adagrad _fused_adam _fused_adamw _fused_moving_avg_obs_fq_helper_functional _fused_sgd _index_put_impl
        _native_batch_norm_legit_functional _philox_normal _philox_randint _philox_uniform _resize_output cauchy
        copy_sparse_to_sparse embedding_renorm exponential geometric log_normal random resize resize_as resize_as_sparse
        rrelu_with_noise_functional set sparse_resize sparse_resize_and_clear uniform zero __lshift__.Scalar_out
        __lshift__.Tensor_out __rshift__.Scalar_out __rshift__.Tensor_out _adaptive_avg_pool2d.out _adaptive_avg_pool2d_backward.out
        _adaptive_avg_pool3d.out _adaptive_avg_pool3d_backward.out _add_relu.Scalar_out _aminmax.out _aminmax.dim_out
        _batch_norm_no_update.out _cdist_backward.out _cdist_forward.out _cholesky_solve_helper.out _coalesce.out _conj_copy.out
        _conj_physical.out _convolution.out _copy_from.out _copy_from_and_resize.out _ctc_loss.out _ctc_loss.Tensor_out
        _ctc_loss_backward.out _cudnn_ctc_loss.out _cudnn_init_dropout_state.out _cudnn_rnn.out _cudnn_rnn_backward.out
        _cudnn_rnn_flatten_weight.out _dirichlet_grad.out _efficientzerotensor.out _embedding_bag.out
        _embedding_bag_dense_backward.out _embedding_bag_forward_only.out _embedding_bag_per_sample_weights_backward.out
        _empty_affine_quantized.out _empty_per_channel_affine_quantized.out _euclidean_dist.out
        _fake_quantize_learnable_per_channel_affine.out _fake_quantize_learnable_per_tensor_affine.out
        _fake_quantize_per_tensor_affine_cachemask_tensor_qparams.out _foobar.out _foreach_abs.out _foreach_acos.out
        _foreach_add.Scalar_out _foreach_add.List_out _foreach_add.ScalarList_out _foreach_add.Tensor_out
        _foreach_addcdiv.Scalar_out _foreach_addcdiv.ScalarList_out _foreach_addcdiv.Tensor_out _foreach_addcmul.Scalar_out
        _foreach_addcmul.ScalarList_out _foreach_addcmul.Tensor_out _foreach_asin.out _foreach_atan.out _foreach_ceil.out
        _foreach_clamp_max.Scalar_out _foreach_clamp_max.List_out _foreach_clamp_max.ScalarList_out _foreach_clamp_min.Scalar_out
        _foreach_clamp_min.List_out _foreach_clamp_min.ScalarList_out _foreach_clone.out _foreach_copy.out _foreach_cos.out
        _foreach_cosh.out _foreach_div.Scalar_out _foreach_div.List_out _foreach_div.ScalarList_out _foreach_div.Tensor_out
        _foreach_erf.out _foreach_erfc.out _foreach_exp.out _foreach_expm1.out _foreach_floor.out _foreach_frac.out
        _foreach_lerp.List_out _foreach_lerp.Scalar_out _foreach_lerp.ScalarList_out _foreach_lgamma.out _foreach_log.out
        _foreach_log10.out _foreach_log1p.out _foreach_log2.out _foreach_max.out _foreach_maximum.Scalar_out
        _foreach_maximum.List_out _foreach_maximum.ScalarList_out _foreach_minimum.Scalar_out _foreach_minimum.List_out
        _foreach_minimum.ScalarList_out _foreach_mul.Scalar_out _foreach_mul.List_out _foreach_mul.ScalarList_out
        _foreach_mul.Tensor_out _foreach_neg.out _foreach_norm.Scalar_out _foreach_pow.List_out _foreach_pow.Scalar_out
        _foreach_pow.ScalarList_out _foreach_powsum.Scalar_out _foreach_reciprocal.out _foreach_round.out _foreach_rsqrt.out
        _foreach_sigmoid.out _foreach_sign.out _foreach_sin.out _foreach_sinh.out _foreach_sqrt.out _foreach_sub.Scalar_out
        _foreach_sub.List_out _foreach_sub.ScalarList_out _foreach_tan.out _foreach_tanh.out _foreach_trunc.out _fused_dropout.out
        _fused_moving_avg_obs_fq_helper.out _fw_primal_copy.out _grid_sampler_2d_cpu_fallback.out _histogramdd_bin_edges.out
        _histogramdd_from_bin_cts.out _histogramdd_from_bin_tensors.out _indices_copy.out _lstm_mps.out _make_dual_copy.out
        _make_per_channel_quantized_tensor.out _make_per_tensor_quantized_tensor.out _masked_scale.out _masked_softmax.out
        _masked_softmax_backward.out _mkldnn_reshape.out _mkldnn_transpose.out _mps_convolution.out _mps_convolution_transpose.out
        _native_batch_norm_legit_no_training.out _native_multi_head_attention.out _neg_view_copy.out _nested_from_padded.out
        _nested_from_padded_and_nested_example.out _nested_get_values_copy.out _nested_tensor_from_mask.out
        _nested_tensor_from_tensor_list.out _nested_tensor_size.out _nested_tensor_storage_offsets.out _nested_tensor_strides.out
        _nested_view_from_buffer_copy.out _nested_view_from_jagged_copy.out _new_zeros_with_same_feature_meta.out
        _nnpack_spatial_convolution.out _pack_padded_sequence.out _pdist_backward.out _pdist_forward.out _pin_memory.out
        _reshape_alias_copy.out _sample_dirichlet.out _segment_reduce_backward.out _slow_conv2d_backward.output_mask_out
        _sparse_addmm.out _sparse_broadcast_to_copy.out _sparse_coo_tensor_with_dims.out
        _sparse_coo_tensor_with_dims_and_tensors.out _sparse_csr_prod.dim_dtype_out _sparse_csr_sum.dim_dtype_out
        _sparse_log_softmax.out _sparse_log_softmax_backward_data.out _sparse_mask_projection.out _sparse_softmax.out
        _sparse_softmax_backward_data.out _sparse_sparse_matmul.out _sparse_sum.dim_out _sparse_sum_backward.out _spdiags.out
        _standard_gamma.out _standard_gamma_grad.out _test_autograd_multiple_dispatch.fullcoverage_out
        _test_autograd_multiple_dispatch_view_copy.out _test_functorch_fallback.out _test_optional_filled_intlist.out
        _test_optional_floatlist.out _test_optional_intlist.out _test_warn_in_autograd.out _thnn_fused_gru_cell.out
        _thnn_fused_gru_cell_backward.out _thnn_fused_lstm_cell.out _thnn_fused_lstm_cell_backward_impl.out _to_copy.out
        _to_dense.out _to_sparse.sparse_dim_out _to_sparse.out _to_sparse_bsc.out _to_sparse_bsr.out _to_sparse_csc.out
        _to_sparse_csr.out _transform_bias_rescale_qkv.out _transformer_encoder_layer_fwd.out _trilinear.out
        _triton_multi_head_attention.out _triton_scaled_dot_attention.out _unique.out _unique2.out _unsafe_view.out _values_copy.out
        _weight_norm_interface.out _weight_norm_interface_backward.out adaptive_avg_pool1d.out add.Scalar_out
        affine_grid_generator.out alias_copy.out as_strided_copy.out as_strided_scatter.out avg_pool1d.out bartlett_window.out
        bartlett_window.periodic_out batch_norm_backward_elemt.out batch_norm_backward_reduce.out batch_norm_gather_stats.out
        batch_norm_gather_stats_with_counts.out batch_norm_stats.out batch_norm_update_stats.out bernoulli.Tensor
        bernoulli.Tensor_out bernoulli.float_out binary_cross_entropy_with_logits.out bincount.out binomial.out
        bitwise_and.Scalar_Tensor_out bitwise_left_shift.Scalar_Tensor_out bitwise_or.Scalar_Tensor_out
        bitwise_right_shift.Scalar_Tensor_out bitwise_xor.Scalar_Tensor_out blackman_window.out blackman_window.periodic_out
        block_diag.out bucketize.Scalar_out ccol_indices_copy.out celu.out channel_shuffle.out clone.out col_indices_copy.out
        constant_pad_nd.out conv_depthwise3d.out conv_tbc.out convolution.out convolution_backward.out
        convolution_backward_overrideable.out convolution_overrideable.out copy.out count_nonzero.dim_IntList_out count_nonzero.out
        crow_indices_copy.out cudnn_affine_grid_generator.out cudnn_affine_grid_generator_backward.out cudnn_batch_norm_backward.out
        cudnn_convolution_add_relu.out cudnn_convolution_relu.out cudnn_convolution_transpose.out cudnn_grid_sampler.out
        cudnn_grid_sampler_backward.out dequantize.self_out dequantize.tensors_out detach_copy.out diag_embed.out
        diagonal_backward.out diagonal_copy.out diagonal_scatter.out dist.out div.Scalar_out div.Scalar_mode_out embedding.out
        embedding_dense_backward.out empty_like.out empty_permuted.out empty_quantized.out empty_strided.out expand_copy.out
        fake_quantize_per_channel_affine_cachemask.out fake_quantize_per_tensor_affine_cachemask.out fill.Scalar_out fill.Tensor_out
        flip.out floor_divide.Scalar_out from_file.out full_like.out glu_backward_jvp.out glu_jvp.out grid_sampler_2d.out
        grid_sampler_2d_backward.out grid_sampler_3d.out grid_sampler_3d_backward.out hamming_window.out hamming_window.periodic_out
        hamming_window.periodic_alpha_out hamming_window.periodic_alpha_beta_out hann_window.out hann_window.periodic_out
        hardswish_backward.out index_fill.int_Scalar_out index_fill.int_Tensor_out index_put.out indices_copy.out int_repr.out
        isinf.out isnan.out kaiser_window.out kaiser_window.periodic_out kaiser_window.beta_out lift.out lift_fresh_copy.out
        linalg_matrix_exp.out linalg_matrix_sqrth.out linear_backward.out lstm_mps_backward.out masked_fill.Scalar_out
        masked_fill.Tensor_out masked_scatter.out matmul_backward.out max_pool2d_backward.out median.out miopen_batch_norm.out
        miopen_batch_norm_backward.out miopen_convolution.out miopen_convolution_transpose.out miopen_ctc_loss.out
        miopen_depthwise_convolution.out miopen_rnn.out miopen_rnn_backward.out mkldnn_adaptive_avg_pool2d_backward.out
        mkldnn_convolution.out mkldnn_linear.out mkldnn_linear_backward.out mkldnn_linear_backward_input.out
        mkldnn_linear_backward_weights.out mkldnn_max_pool2d.out mkldnn_max_pool2d_backward.out mkldnn_max_pool3d.out
        mkldnn_max_pool3d_backward.out mkldnn_reorder_conv2d_weight.out mkldnn_reorder_conv3d_weight.out mkldnn_rnn_layer.out
        mkldnn_rnn_layer_backward.out mps_convolution_backward.out mps_convolution_transpose_backward.out mul.Scalar_out
        nanmedian.out native_batch_norm_backward.out native_dropout.out native_dropout_backward.out native_group_norm.out
        native_group_norm_backward.out native_layer_norm.out native_layer_norm_backward.out native_norm.out
        native_norm.ScalarOpt_dim_dtype_out new_empty.out new_empty_strided.out new_full.out new_ones.out new_zeros.out
        norm.ScalarOpt_dtype_out norm.Scalar_out normal.out ones_like.out permute_copy.out pixel_shuffle.out pixel_unshuffle.out
        poisson.out prod.out put.out q_per_channel_scales.out q_per_channel_zero_points.out quantize_per_channel.out
        quantize_per_tensor.out quantize_per_tensor.tensor_qparams_out quantize_per_tensor.tensors_out
        quantize_per_tensor_dynamic.out quantized_batch_norm.out quantized_max_pool1d.out quantized_max_pool2d.out
        quantized_max_pool3d.out rand_like.out rand_like.generator_out randint_like.out randint_like.generator_out
        randint_like.Tensor_out randint_like.Tensor_generator_out randint_like.low_dtype_out randint_like.low_generator_dtype_out
        randn_like.out randn_like.generator_out relu.out remainder.Scalar_Tensor_out repeat.out repeat_interleave.Tensor_out
        roll.out rot90.out row_indices_copy.out rrelu_with_noise_backward.out rsub.Tensor_out rsub.Scalar_out scalar_tensor.out
        segment_reduce.out select_backward.out select_copy.int_out select_scatter.out slice_backward.out slice_copy.Tensor_out
        slice_scatter.out slow_conv_dilated2d.out slow_conv_dilated3d.out sparse_coo_tensor.size_out sparse_mask.out
        squeeze_copy.out squeeze_copy.dim_out squeeze_copy.dims_out std_mean.correction_out sub.Scalar_out sum.out t_copy.out
        to_mkldnn.out to_padded_tensor.out trace.out transpose_copy.int_out tril_indices.out triu_indices.out unfold_backward.out
        unfold_copy.out unique_consecutive.out unique_dim.out unique_dim_consecutive.out unsafe_split.Tensor_out
        unsafe_split_with_sizes.out unsqueeze_copy.out upsample_bilinear2d.vec_out upsample_nearest2d.vec_out values_copy.out
        var_mean.correction_out view_as_complex_copy.out view_as_real_copy.out view_copy.out view_copy.dtype_out zeros_like.out
    """,
    "inplace": """
        __iand__ __ilshift__ __ior__ __irshift__ __ixor__ _add_relu_ _amp_foreach_non_finite_check_and_unscale_ _amp_update_scale_
        _coalesced_ _fill_mem_eff_dropout_mask_ _foreach_abs_ _foreach_acos_ _foreach_add_ _foreach_addcdiv_ _foreach_addcmul_
        _foreach_asin_ _foreach_atan_ _foreach_ceil_ _foreach_clamp_max_ _foreach_clamp_min_ _foreach_copy_ _foreach_cos_
        _foreach_cosh_ _foreach_div_ _foreach_erf_ _foreach_erfc_ _foreach_exp_ _foreach_expm1_ _foreach_floor_ _foreach_frac_
        _foreach_lerp_ _foreach_lgamma_ _foreach_log10_ _foreach_log1p_ _foreach_log2_ _foreach_log_ _foreach_maximum_
        _foreach_minimum_ _foreach_mul_ _foreach_neg_ _foreach_pow_ _foreach_reciprocal_ _foreach_round_ _foreach_rsqrt_
        _foreach_sigmoid_ _foreach_sign_ _foreach_sin_ _foreach_sinh_ _foreach_sqrt_ _foreach_sub_ _foreach_tan_ _foreach_tanh_
        _foreach_trunc_ _foreach_zero_ _fused_adagrad_ _fused_adam_ _fused_adamw_ _fused_sgd_ _mkldnn_transpose_ _philox_normal_
        _philox_randint_ _philox_uniform_ _resize_output_ _scaled_addmm_ _sobol_engine_ff_ _sobol_engine_initialize_state_
        _sobol_engine_scramble_ abs_ absolute_ acos_ acosh_ addbmm_ addcdiv_ addcmul_ addmm_ addmv_ addr_ alpha_dropout_ arccos_
        arccosh_ arcsin_ arcsinh_ arctan2_ arctan_ arctanh_ as_strided_ asin_ asinh_ atan2_ atan_ atanh_ baddbmm_ bernoulli_
        bitwise_and_ bitwise_left_shift_ bitwise_not_ bitwise_or_ bitwise_right_shift_ bitwise_xor_ cauchy_ ceil_ celu_ clamp_
        clamp_max_ clamp_min_ clip_ conj_physical_ copy_sparse_to_sparse_ copysign_ cos_ cosh_ cumprod_ cumsum_ deg2rad_ detach_
        digamma_ div_ divide_ dropout_ elu_ embedding_renorm_ eq_ erf_ erfc_ erfinv_ exp2_ exp_ expm1_ exponential_
        feature_alpha_dropout_ feature_dropout_ fill_ fill_diagonal_ fix_ float_power_ floor_ floor_divide_ fmod_ frac_ gcd_ ge_
        gelu_ geometric_ greater_ greater_equal_ gt_ hardsigmoid_ hardswish_ hardtanh_ heaviside_ hypot_ i0_ igamma_ igammac_
        index_add_ index_copy_ index_fill_ index_reduce_ lcm_ ldexp_ le_ leaky_relu_ lerp_ less_ less_equal_ lgamma_ log10_ log1p_
        log2_ log_ log_normal_ logical_and_ logical_not_ logical_or_ logical_xor_ logit_ lt_ masked_fill_ masked_scatter_ mish_
        multiply_ mvlgamma_ nan_to_num_ ne_ neg_ negative_ nextafter_ normal_ not_equal_ polygamma_ pow_ put_ rad2deg_ random_
        reciprocal_ relu6_ relu_ remainder_ renorm_ requires_grad_ resize_ resize_as_ resize_as_sparse_ round_ rrelu_
        rrelu_with_noise_ rsqrt_ scatter_ scatter_add_ scatter_reduce_ selu_ set_ sgn_ sigmoid_ sign_ silu_ sin_ sinc_ sinh_
        sparse_resize_ sparse_resize_and_clear_ sqrt_ square_ squeeze_ sub_ subtract_ swapaxes_ swapdims_ t_ tan_ tanh_ threshold_
        transpose_ tril_ triu_ true_divide_ trunc_ uniform_ unsqueeze_ xlogy_ zero_ _index_put_impl_.default add_.Tensor add_.Scalar
        copy_.default index_put_.default mul_.Tensor mul_.Scalar
    """,
    "inplace_view": """
        as_strided_ detach_ resize_ resize_as_ set_ squeeze_ swapaxes_ swapdims_ t_ transpose_ unsqueeze_
    """,
    "maybe_aliasing_or_mutating": """
        _batch_norm_impl_index alpha_dropout batch_norm cartesian_prod dropout feature_alpha_dropout feature_dropout unsafe_chunk
        atleast_1d.default atleast_2d.default atleast_3d.default conj_physical.default
    """,
    "needs_exact_strides": """
        _scaled_addmm _scaled_addmm_ _scaled_grouped_mm _scaled_grouped_mm_v2 _scaled_mm
    """,
    "needs_fixed_stride_order": """
        _cslt_sparse_mm
    """,
    "nondeterministic_seeded": """
        _cudnn_attention_backward _cudnn_attention_forward _cudnn_attention_forward_no_dropout_inplace _cudnn_init_dropout_state
        _cudnn_rnn _efficient_attention_forward _fill_mem_eff_dropout_mask_ _flash_attention_forward
        _flash_attention_forward_no_dropout_inplace _fused_dropout _fused_sdp_choice _lstm_mps _nested_tensor_softmax_with_shape
        _sample_dirichlet _scaled_dot_product_attention_math _scaled_dot_product_attention_math_for_mps
        _scaled_dot_product_cudnn_attention _scaled_dot_product_cudnn_attention_backward _scaled_dot_product_efficient_attention
        _scaled_dot_product_efficient_attention_backward _scaled_dot_product_flash_attention
        _scaled_dot_product_flash_attention_for_cpu _scaled_dot_product_fused_attention_overrideable _standard_gamma
        _triton_scaled_dot_attention alpha_dropout alpha_dropout_ bernoulli bernoulli_ binomial cauchy cauchy_ dropout dropout_
        exponential exponential_ feature_alpha_dropout feature_alpha_dropout_ feature_dropout feature_dropout_ geometric geometric_
        gru log_normal log_normal_ lstm miopen_rnn multinomial native_dropout normal normal_ normal_functional poisson rand
        rand_like randint randint_like randn randn_like random random_ randperm rnn_relu rnn_tanh rrelu rrelu_ rrelu_with_noise
        rrelu_with_noise_ rrelu_with_noise_functional scaled_dot_product_attention uniform uniform_
    """,
    "pointwise": """
        __ilshift__ __ixor__ abs acos_ acosh_ addcdiv addcdiv_ addcmul addcmul_ asin_ asinh_ atan2_ atan_ atanh_ bitwise_and_
        bitwise_left_shift_ bitwise_not bitwise_not_ bitwise_or_ bitwise_right_shift_ bitwise_xor_ ceil_ celu_ clamp clamp_
        clamp_max clamp_max_ clamp_min clamp_min_ clip_ conj_physical conj_physical_ cos_ cosh_ deg2rad deg2rad_ digamma digamma_
        div_ elu_ equal erf_ erfc_ erfinv erfinv_ exp2 exp2_ exp_ expm1_ float_power float_power_ floor_ fmax fmin fmod_ frac frac_
        hardsigmoid_ hardtanh_ heaviside hypot hypot_ i0 i0_ igamma igamma_ igammac igammac_ isneginf isposinf lcm ldexp_
        leaky_relu_ lerp lerp_ lgamma_ log10_ log1p_ log2 log2_ log_ logaddexp logaddexp2 logical_and logical_and_ logical_not
        logical_not_ logical_or logical_or_ logical_xor logical_xor_ logit logit_ logit_backward maximum minimum mvlgamma mvlgamma_
        nan_to_num nan_to_num_ neg_ nextafter nextafter_ polygamma polygamma_ positive pow_ rad2deg rad2deg_ reciprocal reciprocal_
        relu6 relu_ remainder_ round_ rrelu rsqrt rsqrt_ selu selu_ sgn sgn_ sigmoid sigmoid_ sigmoid_backward sign sign_ signbit
        silu silu_ silu_backward sin_ sinc sinc_ sinh_ special_airy_ai special_bessel_j0 special_bessel_j1 special_bessel_y0
        special_bessel_y1 special_chebyshev_polynomial_t special_chebyshev_polynomial_u special_chebyshev_polynomial_v
        special_chebyshev_polynomial_w special_entr special_erfcx special_hermite_polynomial_h special_hermite_polynomial_he
        special_i0e special_i1 special_i1e special_laguerre_polynomial_l special_legendre_polynomial_p special_log_ndtr
        special_modified_bessel_i0 special_modified_bessel_i1 special_modified_bessel_k0 special_modified_bessel_k1 special_ndtri
        special_scaled_modified_bessel_k0 special_scaled_modified_bessel_k1 special_shifted_chebyshev_polynomial_t
        special_shifted_chebyshev_polynomial_u special_shifted_chebyshev_polynomial_v special_shifted_chebyshev_polynomial_w
        special_spherical_bessel_j0 special_xlog1py special_zeta sqrt_ square square_ sub_ tan_ tanh_ tanh_backward trunc trunc_
        xlogy __lshift__.Tensor __lshift__.Scalar __rshift__.Tensor __rshift__.Scalar __xor__.Tensor __xor__.Scalar
        _conj_physical.default acos.default acos.out acosh.default acosh.out add.Tensor add.Scalar add.out add_.Tensor add_.Scalar
        angle.default angle.out asin.default asin.out asinh.default asinh.out atan.default atan.out atan2.default atan2.out
        atanh.default atanh.out bitwise_and.Tensor bitwise_and.Scalar bitwise_and.Scalar_Tensor bitwise_and.Tensor_out
        bitwise_and.Scalar_out bitwise_left_shift.Tensor bitwise_left_shift.Tensor_Scalar bitwise_left_shift.Scalar_Tensor
        bitwise_left_shift.Tensor_out bitwise_left_shift.Tensor_Scalar_out bitwise_or.Tensor bitwise_or.Scalar
        bitwise_or.Scalar_Tensor bitwise_or.Tensor_out bitwise_or.Scalar_out bitwise_right_shift.Tensor
        bitwise_right_shift.Tensor_Scalar bitwise_right_shift.Scalar_Tensor bitwise_right_shift.Tensor_out
        bitwise_right_shift.Tensor_Scalar_out bitwise_xor.Tensor bitwise_xor.Scalar bitwise_xor.Scalar_Tensor bitwise_xor.Tensor_out
        bitwise_xor.Scalar_out ceil.default ceil.out celu.default clip.default clip.Tensor clip.out clone.default copysign.Tensor
        copysign.Scalar copysign.out copysign.Scalar_out cos.default cos.out cosh.default cosh.out div.Tensor div.Scalar
        div.Tensor_mode div.Scalar_mode div.out div.out_mode elu.default eq.Tensor eq.Scalar eq.Scalar_out eq.Tensor_out erf.default
        erf.out erfc.default erfc.out exp.default exp.out expm1.default expm1.out floor.default floor.out fmod.Tensor fmod.Scalar
        fmod.Tensor_out fmod.Scalar_out frexp.Tensor frexp.Tensor_out gcd.default gcd.out ge.Tensor ge.Scalar ge.Scalar_out
        ge.Tensor_out gelu.default gelu_backward.default gt.Tensor gt.Scalar gt.Scalar_out gt.Tensor_out hardshrink.default
        hardsigmoid.default hardtanh.default isfinite.default isinf.default isnan.default ldexp.Tensor ldexp.out le.Tensor le.Scalar
        le.Scalar_out le.Tensor_out leaky_relu.default lgamma.default lgamma.out log.default log.out log10.default log10.out
        log1p.default log1p.out lt.Tensor lt.Scalar lt.Scalar_out lt.Tensor_out masked_fill.Scalar max.other max.out min.other
        min.out mish.default mul.Tensor mul.Scalar mul.out mul_.Tensor mul_.Scalar native_dropout_backward.default ne.Tensor
        ne.Scalar ne.Scalar_out ne.Tensor_out neg.default neg.out pow.Tensor_Tensor pow.Tensor_Scalar pow.Scalar
        pow.Tensor_Tensor_out pow.Scalar_out pow.Tensor_Scalar_out relu.default remainder.Tensor remainder.Scalar
        remainder.Scalar_Tensor remainder.Tensor_out remainder.Scalar_out round.default round.decimals round.out round.decimals_out
        rsub.Scalar sin.default sin.out sinh.default sinh.out softplus.default softshrink.default sqrt.default sqrt.out sub.Tensor
        sub.Scalar sub.out tan.default tan.out tanh.default tanh.out threshold.default threshold_backward.default true_divide.Tensor
        where.self xlogy_.Tensor
    """,
    "reduction": """
        amax amin aminmax argmax argmin linalg__powsum linalg_vector_norm logsumexp mean nansum std var all.default all.dim all.dims
        all.out all.dims_out all.all_out any.default any.dim any.dims any.out any.dims_out any.all_out count_nonzero.default
        count_nonzero.dim_IntList max.default max.dim max.dim_max max.unary_out min.default min.dim min.dim_min min.unary_out
        norm.Scalar norm.ScalarOpt_dim norm.ScalarOpt_dim_dtype norm.dtype_out norm.out norm.ScalarOpt_dtype prod.default
        prod.dim_int prod.int_out std_mean.default std_mean.dim std_mean.correction sum.dim_IntList sum.default sum.IntList_out
        var_mean.default var_mean.dim var_mean.correction
    """,
    "view_copy": """
        _conj_copy _fw_primal_copy _indices_copy _make_dual_copy _neg_view_copy _nested_get_values_copy
        _nested_view_from_buffer_copy _nested_view_from_jagged_copy _reshape_alias_copy _sparse_broadcast_to_copy
        _test_autograd_multiple_dispatch_view_copy _values_copy alias_copy as_strided_copy ccol_indices_copy col_indices_copy
        crow_indices_copy detach_copy diagonal_copy expand_copy indices_copy lift_fresh_copy permute_copy row_indices_copy
        select_copy slice_copy slice_scatter squeeze_copy t_copy transpose_copy unfold_copy unsqueeze_copy values_copy
        view_as_complex_copy view_as_real_copy view_copy narrow_copy.default split_copy.Tensor split_with_sizes_copy.default
        unbind_copy.int
    """,
}
# What programs of the compiler do not take.
_NOT_COMPLIANT = frozenset((
    "get_gradients.default", "quantized_gru.input", "quantized_gru.data", "quantized_gru.input_legacy", "quantized_gru.data_legacy",
    "quantized_lstm.input", "quantized_lstm.data", "quantized_lstm.input_legacy", "quantized_lstm.data_legacy",
    "shallow_copy_data_.default",
))


def tags_of(name, overload, schema):
    """The tags of an overload of an operator, in their order."""
    full = f"{name}.{overload}"
    found = {tag for tag, names in _TAGGED.items() if name in names or full in names}
    if any(a.kwarg_only and (a.name == "out" or a.alias_info is not None and a.alias_info.is_write) for a in schema.arguments):
        found.add("out")
    if full not in _NOT_COMPLIANT:
        found.add("pt2_compliant_tag")
    return [tag for tag in Tag if tag.name in found]


_TAGGED = {tag: frozenset(names.split()) for tag, names in _NAMED.items()}
